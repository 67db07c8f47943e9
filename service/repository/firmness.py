"""How firm a round's settlement is, as the record of where the round stands keeps it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from schemas.settlement_states import SettlementState


@dataclass(frozen=True, slots=True)
class Firmness:
    """
    How firm the settlement in force is.

    The state follows from the rest and from whether hands can come.

    Attributes:
        settlement_state: open, provisional, disputed or final.
        provisional_until: when it is made final unless something happens; None in any other state.
        final_revision: the newest revision that has been final, which may have been corrected since.
        open_disputes: how many disputes of the round are not resolved.
    """

    settlement_state: SettlementState = SettlementState.OPEN
    provisional_until: datetime | None = None
    final_revision: int | None = None
    open_disputes: int = 0

    def after(self, revision: int, until: datetime, *, is_open: bool) -> "Firmness":
        """
        Give it after a change to the round.

        >>> from datetime import UTC
        >>> moment = datetime(2026, 11, 20, 22, tzinfo=UTC)
        >>> Firmness().after(1, moment, is_open=False).settlement_state.value
        'provisional'
        >>> Firmness(final_revision=1).after(1, moment, is_open=False).settlement_state.value
        'final'

        Args:
            revision: that is in force now.
            until: how long it is provisional, where it is.
            is_open: whether hands can come.
        """
        if is_open:
            state = SettlementState.OPEN
        elif self.open_disputes:
            state = SettlementState.DISPUTED
        elif self.final_revision == revision:
            state = SettlementState.FINAL
        else:
            state = SettlementState.PROVISIONAL
        kept_until = until if state is SettlementState.PROVISIONAL else None
        return replace(self, settlement_state=state, provisional_until=kept_until)


def dump_firmness(firmness: Firmness) -> dict[str, Any]:
    """Say what a round's head record holds of it."""
    return {**asdict(firmness), "settlement_state": firmness.settlement_state.value}


def load_firmness(head: Mapping[str, Any]) -> Firmness:
    """
    Read it from a round's head record.

    >>> final = Firmness(SettlementState.FINAL, final_revision=2)
    >>> load_firmness(dump_firmness(final)) == final
    True
    """
    return Firmness(
        SettlementState(head["settlement_state"]),
        head["provisional_until"],
        head["final_revision"],
        head["open_disputes"],
    )
