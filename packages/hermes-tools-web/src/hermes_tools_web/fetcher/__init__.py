"""Fetch a page through the network guard, and classify everything that can go wrong."""
