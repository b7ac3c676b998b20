"""Build what ships: captures of forms, conformance checks, the index of assets."""
