"""The rules of Open Face Chinese poker: pure values in, pure values out. The specification is docs/rules.md."""

from typing import Final

SCORER_VERSION: Final = 1
"""Raised whenever the same hand could score otherwise than before; every stored hand names the one that scored it."""
