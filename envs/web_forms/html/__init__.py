"""The HTML of web forms: structure, themes, fonts, and the shared script."""
