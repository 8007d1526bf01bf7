"""Editing text: bytes and text, loose matching, patches, differences; nothing here touches a file."""
