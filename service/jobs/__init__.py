"""How jobs are done: claimed chunk by chunk, by as many workers as there are, whichever of them die."""
