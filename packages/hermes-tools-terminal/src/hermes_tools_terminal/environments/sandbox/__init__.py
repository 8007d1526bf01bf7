"""The sandbox on this machine: its policy, its engines, and their verification."""
