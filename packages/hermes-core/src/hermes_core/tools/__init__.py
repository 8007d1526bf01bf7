"""What a tool is: declaration, schema, registry, toolsets, availability."""
