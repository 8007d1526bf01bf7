"""Progressive disclosure and toolset distributions."""
