"""Crawl one site: what to fetch next, what its owner allows, and when to stop."""
