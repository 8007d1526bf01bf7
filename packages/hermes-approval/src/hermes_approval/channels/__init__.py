"""Who can be asked: the terminal, an application, another process, a model."""
