"""How quickly files are read, searched and changed, and scripts call tools."""
