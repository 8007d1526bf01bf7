"""A harmless call by every path there is, and which hooks saw it."""
