"""The HTML of web forms: their structure, themes, fonts, and the script that every page shares."""
