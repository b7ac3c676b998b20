"""A small photo editor in which a page is filled in with mouse and keyboard (FormGym's GUI setting)."""
