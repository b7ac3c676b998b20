"""Florence-2, fine-tuned to answer a field's name with location tokens (FormGym)."""
