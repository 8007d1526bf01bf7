"""Tools: declaration, schema, registry, toolsets, availability."""
