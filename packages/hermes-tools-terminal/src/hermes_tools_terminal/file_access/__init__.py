"""Access of tasks to files: sessions, policy, edits, history and errors."""
