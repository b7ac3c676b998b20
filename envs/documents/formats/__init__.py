"""File formats: documents as PowerPoint files and back."""
