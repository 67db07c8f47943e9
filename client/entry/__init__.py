"""Entry of hands at the table: prompts seat by seat, a preview, and recording once the scorekeeper agrees."""
