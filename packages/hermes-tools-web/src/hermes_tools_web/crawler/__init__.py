"""A site, page by page: what to fetch next, what its owner allows, and when it is enough."""
