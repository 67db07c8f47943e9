"""Events of the feed, and the results of hands and rounds beside them."""
