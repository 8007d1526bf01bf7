"""Getting a page through the guard: one request, told apart from everything that can go wrong with it."""
