"""The walls of the sandbox: what builds them, what they hide, and the proof that they stand."""
