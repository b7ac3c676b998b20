"""Windows about labels: the page around a label as a policy sees it, and where its answer goes as cells."""
