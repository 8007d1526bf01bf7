"""How well tool search finds the tool: evaluation sets, a baseline and the scores."""
