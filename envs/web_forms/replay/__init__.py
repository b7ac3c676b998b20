"""Web forms without a browser: captures of Chromium, replayed to the pixel."""
