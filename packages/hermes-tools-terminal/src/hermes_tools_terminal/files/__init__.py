"""The files of a place, as the tools for files see them: found, read and replaced, here and elsewhere alike."""
