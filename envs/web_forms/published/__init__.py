"""The published FormFactory: its forms, instances and texts, from a checkout."""
