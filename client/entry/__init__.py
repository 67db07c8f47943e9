"""A hand as a scorekeeper enters it at the table: asked for seat by seat, shown before it is recorded."""
