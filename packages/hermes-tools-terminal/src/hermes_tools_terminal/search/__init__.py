"""Search the files of an environment by content and by name, with the programs that are available."""
