"""Searching the files of a place: contents and names, with whatever program is there."""
