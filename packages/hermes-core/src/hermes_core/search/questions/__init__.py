"""Reads a question: what words to look for and what each is worth, what stands in quotes, and how much it wants."""
