"""How firm settlements are, on the wire."""

from enum import StrEnum
from typing import Final


class SettlementState(StrEnum):
    """
    How firm a settlement is.

    Open while hands can come; then provisional until the table's correction window has passed or everyone has confirmed
    it; disputed while somebody's dispute is not resolved; final. Superseded once the round has a newer revision.
    """

    OPEN = "open"
    PROVISIONAL = "provisional"
    DISPUTED = "disputed"
    FINAL = "final"
    SUPERSEDED = "superseded"


ARRIVING: Final = (SettlementState.FINAL.value, SettlementState.PROVISIONAL.value)
"""The states in which settlements can be imported, the usual one first."""
IN_FORCE: Final = {state.value: state for state in SettlementState if state is not SettlementState.SUPERSEDED}
"""The states of a settlement that no newer revision has superseded."""
