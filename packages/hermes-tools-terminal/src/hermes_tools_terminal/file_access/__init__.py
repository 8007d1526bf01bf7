"""What a task has in hand: its files, what it may do with them, and what it knows of them."""
