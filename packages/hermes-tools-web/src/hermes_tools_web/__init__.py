"""Search the web, read pages and crawl sites, for AI agents."""

__version__ = "1.0.0"

__all__ = ["__version__"]
