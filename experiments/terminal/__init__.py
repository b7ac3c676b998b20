"""What the verbs print: text, tables, bars, and the titles of metrics."""
