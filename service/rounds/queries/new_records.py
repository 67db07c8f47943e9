"""Records to insert: request bodies, hands, and the reasons of a revision."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import CorrectedClosing, CorrectedDeparture, Received
from evidence.texts import SaltedText
from schemas.hands import SubmittedHand
from scoring.hand import Seat
from scoring.history import Closing, Departure
from service.rounds.queries.records import RoundRecords
from service.texts.models import TextField
from service.texts.queries import NewText, write_text


def write_reason(reason: str, round_id: UUID, *, job_id: UUID | None = None, player: str | None = None) -> NewText:
    """
    Return the reason of a revision, a departure or a closing of a round as a text, to be erased with it.

    Args:
        reason: the text.
        round_id: the round.
        job_id: the job that makes revisions of many rounds, with which their reason is erased.
        player: who departs.
    """
    return write_text(reason, job_id or round_id, TextField.REASON, round_id=round_id, player=player)


@dataclass(frozen=True)
class Submission:
    """
    A request body, and its kind: `hand`, `document` or `correction`.

    Attributes:
        has_texts: whether it has a text of a person. It can then be erased, so that it is stored as such a text.
    """

    kind: str
    content: bytes
    id: UUID = field(default_factory=uuid7)
    has_texts: bool = False

    @cached_property
    def salted(self) -> SaltedText:
        """The request body as a text; only of one with texts."""
        return SaltedText.of(self.content.decode())

    @cached_property
    def received(self) -> Received:
        """The id and digest of the request body, for events."""
        if self.has_texts:
            return Received(self.id, text=self.salted.digest)
        return Received(self.id, sha256(self.content).digest())

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of its record that depend on whether it has texts."""
        content = None if self.has_texts else self.content
        return {"content": content, "sha256": self.received.sha256, "text": self.received.text}


class HandToRecord(NamedTuple):
    """
    A received hand, ready to be inserted.

    Attributes:
        submitted: the hand as received.
        submission_id: the request body.
        event: the encoded event payload; empty for a hand of a correction, which has its own event.
        reference: the client's ID of the hand; that of a corrected hand is the one that it had.
    """

    id: UUID
    submitted: SubmittedHand
    submission_id: UUID
    event: bytes = b""
    reference: str | None = None


class EndingReasons:
    """
    The digests of the reasons of departures and of the closing in a revision.

    Where the words are those of the revision before, the digest is too, also after an erasure; others are new texts.

    Attributes:
        added: the new texts.
    """

    def __init__(self, records: RoundRecords, players: dict[Seat, str]) -> None:
        """
        Begin without new texts.

        Args:
            records: those of the revision before.
            players: of the new revision, by seat.
        """
        self.added: list[NewText] = []
        self._round_id, self._players = records.id, players
        departed = zip(records.departed, records.departures, strict=True)
        self._digests: dict[Departure | Closing, bytes | None] = {ended: record["reason"] for ended, record in departed}
        if records.closed is not None and records.closing is not None:
            self._digests[records.closed] = records.closing["reason"]

    def find(self, ending: Departure | Closing) -> bytes | None:
        """Return the digest of the reason of a departure or closing; None if it has none."""
        if ending not in self._digests:
            self._digests[ending] = None if ending.reason is None else self._add(ending, ending.reason)
        return self._digests[ending]

    def _add(self, ending: Departure | Closing, reason: str) -> bytes:
        player = self._players.get(ending.seat) if isinstance(ending, Departure) else None
        text = write_reason(reason, self._round_id, player=player)
        self.added.append(text)
        return text.digest

    def describe_departures(self, departures: Sequence[Departure]) -> tuple[CorrectedDeparture, ...]:
        """Return departures in order, as the event of a correction has them."""
        return tuple(
            CorrectedDeparture(each.seat, each.after_hand, self.find(each))
            for each in sorted(departures, key=lambda departure: departure.after_hand)
        )

    def describe_closing(self, closing: Closing | None) -> CorrectedClosing | None:
        """Return the closing as the event of a correction has it."""
        return None if closing is None else CorrectedClosing(closing.after_hand, self.find(closing))
