"""Writes the tree of a page as Markdown: headings, lists, tables, code, links, formulas."""
