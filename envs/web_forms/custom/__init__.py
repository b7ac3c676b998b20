"""Pages of others, played in Chromium as they are."""
