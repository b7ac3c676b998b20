"""Training of vision-language models with TRL."""
