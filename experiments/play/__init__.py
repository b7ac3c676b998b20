"""Play a task by hand, in a window or in the terminal."""
