"""What was allowed before: grants, each for one rule of one tool and for arguments that it names."""
