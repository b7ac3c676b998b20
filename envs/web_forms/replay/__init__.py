"""Web forms without a browser: pages, looks and glyphs photographed from Chromium once, replayed to the pixel."""
