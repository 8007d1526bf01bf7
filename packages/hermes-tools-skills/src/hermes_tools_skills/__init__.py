"""Skills for AI agents: instructions in Markdown that are read when they are needed."""

__version__ = "1.0.0"

__all__ = ["__version__"]
