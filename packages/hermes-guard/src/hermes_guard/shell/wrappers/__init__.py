"""Programs that run another command, and how to find that command in their arguments."""
