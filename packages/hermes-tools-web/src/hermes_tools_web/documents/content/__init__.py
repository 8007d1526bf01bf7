"""Finds what a page is about, between menus, banners and lists of other pages."""
