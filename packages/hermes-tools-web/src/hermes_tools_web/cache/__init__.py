"""What was fetched already, on the disk: bounded in time and size, and never in the way."""
