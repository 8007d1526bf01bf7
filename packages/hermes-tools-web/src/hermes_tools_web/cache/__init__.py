"""An on-disk cache of fetched pages and search results, limited in age and size."""
