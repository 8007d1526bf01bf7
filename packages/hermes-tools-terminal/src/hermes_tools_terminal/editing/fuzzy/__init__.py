"""Finding text that somebody quotes from memory, in nine ways from the strict to the loose."""
