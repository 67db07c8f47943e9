"""The form of a correction, which the pages of disputes and of rounds share: cards, preview and result."""
