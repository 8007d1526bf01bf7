"""Sources of skills: each module reads one kind of registry, repository or directory."""
