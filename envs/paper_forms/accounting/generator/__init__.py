"""Generate the accounting database."""
