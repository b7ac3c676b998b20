"""FieldFinder: finds where on a page the answer to a named field goes (FormGym)."""
