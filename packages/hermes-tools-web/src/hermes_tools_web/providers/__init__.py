"""Search and extract providers, one per file, with the protocol they implement and how they are chosen and called."""
