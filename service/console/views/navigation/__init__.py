"""How a page is found: the menu, the search, and the names in filters."""
