"""The texts that records must have, from the digests in events, unless they were erased."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from evidence.events import DisputeEvent, DisputeOpened, EventPayload, PlayerErased, TextsErased
from evidence.fold import FoldedRound
from evidence.texts import digest_text
from service.replays.comparing import Key, Row
from service.texts.models import TextField

Texts = dict[Key, Row]
_OWNER: Final = ("record_id", "round_id", "player")
_COLUMNS: Final = ("field", "content", "salt", *_OWNER)


def expect_text(
    field: TextField,
    digest: bytes,
    record_id: UUID | None,
    round_id: UUID | None = None,
    player: str | None = None,
) -> Row:
    """Return the columns that the text of a digest must have."""
    return _ExpectedText(field, digest, record_id, round_id, player)


@dataclass(frozen=True, slots=True)
class _ExpectedText(Mapping[str, Any]):
    """The columns of an expected text. They are computed when they are read, because a club can have millions."""

    field: TextField
    digest: bytes
    record_id: UUID | None
    round_id: UUID | None
    player: str | None

    def __getitem__(self, column: str) -> Any:
        if column == "field":
            return self.field.value
        if column in ("content", "salt"):
            return stored_text(column, "content", "salt", self.digest)
        if column in _OWNER:
            return getattr(self, column)
        raise KeyError(column)

    def __iter__(self) -> Iterator[str]:
        return iter(_COLUMNS)

    def __len__(self) -> int:
        return len(_COLUMNS)


def stored_text(column: str, text: str, salt: str, digest: bytes) -> Callable[[Row], Any]:
    """Return what a column of a text must be: the stored value, if text and salt have the digest of the event."""

    def expected(row: Row) -> Any:
        has_digest = digest_text(row[text] or "", bytes(row[salt] or b"")) == digest
        return row[column] if has_digest else f"one of the HMAC-SHA-256 {digest.hex()}"

    return expected


def list_erased(event: EventPayload) -> tuple[bytes, ...]:
    """Return the digests of the texts that an event has erased."""
    return event.texts if isinstance(event, PlayerErased | TextsErased) else ()


def expect_texts_of_round(folded: FoldedRound) -> Texts:
    """Return the texts that the events of a round lead to, by their digests."""
    texts: Texts = {}
    for digest, row in _list_texts(folded):
        # A later revision has the same text, perhaps with another player in the seat.
        texts.setdefault((digest,), row)
    return texts


def _list_texts(folded: FoldedRound) -> Iterator[tuple[bytes, Row]]:
    round_id = folded.opening.round
    for revision in folded.revisions:
        if revision.reason is not None:
            record_id = folded.recomputations.get(revision.number, round_id)
            yield revision.reason, expect_text(TextField.REASON, revision.reason, record_id, round_id)
        players = {seat.seat: seat.player for seat in revision.seats}
        for left in revision.departures:
            if left.reason is not None:
                player = players.get(left.departure.seat)
                yield left.reason, expect_text(TextField.REASON, left.reason, round_id, round_id, player)
        if revision.closed is not None and revision.closed.reason is not None:
            reason = revision.closed.reason
            yield reason, expect_text(TextField.REASON, reason, round_id, round_id)
    for received in folded.submissions.values():
        if (digest := received.received.text) is not None:
            yield digest, expect_text(TextField.SUBMISSION, digest, received.record, round_id)
    for dispute_id, dispute in folded.disputes.items():
        opening = dispute.opening
        claim = expect_text(TextField.CLAIM, opening.claim, dispute_id, round_id, opening.by)
        yield opening.claim, claim
        yield from _list_names(opening, folded)
        for entry in dispute.entries:
            event = entry.event
            if event.words is not None:
                yield event.words, expect_text(TextField.COMMENT, event.words, dispute_id, round_id, event.by)
            yield from _list_names(event, folded)


def _list_names(event: DisputeOpened | DisputeEvent, folded: FoldedRound) -> Iterator[tuple[bytes, Row]]:
    """Yield the name of the key that is the author of an event, if it is a key."""
    if event.key_name is not None:
        key_id = folded.authors.get(event.key_name)
        yield event.key_name, expect_text(TextField.AUTHOR, event.key_name, key_id, folded.opening.round)


def without_erased(texts: Mapping[Key, Row], erased: set[bytes]) -> Texts:
    """Return the texts that were not erased."""
    return {key: row for key, row in texts.items() if key[0] not in erased}
