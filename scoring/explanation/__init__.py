"""Explanations of hands: every point with the deciding cards, and every cap with the stacks."""
