"""Models: the providers of language and vision-language models."""
