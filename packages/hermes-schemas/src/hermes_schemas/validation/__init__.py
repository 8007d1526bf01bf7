"""How a JSON Schema becomes closures: one file per family of keywords."""
