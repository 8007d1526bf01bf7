"""Whether JSON fits a schema, and how to make it fit: pure functions that every room above may use."""
