"""How much of a page is kept, and how much noise, compared with other extractors."""
