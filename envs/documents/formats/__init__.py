"""Read and write documents as files: JSON, PowerPoint, SVG, PDF and PNG."""
