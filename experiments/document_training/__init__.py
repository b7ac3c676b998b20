"""Training of the models that read and ground requests about documents."""
