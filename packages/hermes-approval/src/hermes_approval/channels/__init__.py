"""Ways to ask for an approval: the terminal, an application, another process, a model."""
