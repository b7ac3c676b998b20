"""Photographing web forms: from a page in Chromium to all that is needed to replay it without."""
