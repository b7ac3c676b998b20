"""FormGym's GUI setting: fill in a page in a photo editor, by mouse and keyboard."""
