"""Find text that is quoted with small mistakes, and replace it as the file would have been edited by hand."""
