"""Shells, files and Python scripts for AI agents: on this machine, in containers, over SSH and in cloud sandboxes."""

__version__ = "1.0.0"

__all__ = ["__version__"]
