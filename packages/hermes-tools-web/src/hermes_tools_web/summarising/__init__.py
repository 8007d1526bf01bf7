"""Long pages made short by a model."""
