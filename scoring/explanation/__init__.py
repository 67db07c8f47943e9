"""Why a hand comes to what it comes to: every point with the cards that decide it, and every cap with the stacks."""
