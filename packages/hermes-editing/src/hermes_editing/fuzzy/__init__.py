"""Replace text that is quoted inexactly, as if the file had been edited by hand."""
