"""Score `patch` on edits of real projects, quoted with the mistakes that models make."""
