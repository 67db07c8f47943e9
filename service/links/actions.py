"""Issue, check and revoke links, and read the round that a link shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from evidence.events import LinkIssued, LinkRevoked, LinksRevoked
from schemas.access import IssuedLink, Link, LinkedRoundView, SignedLink, write_token
from schemas.explanations.explanations import ExplanationView
from schemas.fields import show_time
from schemas.hands import HandView
from scoring.explanation import hands as explaining
from service.audit_trail.queries.events import record_event
from service.clubs.queries import clubs
from service.clubs.queries.clubs import StoredClub
from service.db import Database, Transaction
from service.errors import LinkEnded, NotFound
from service.links import queries as links
from service.links.changes import RevisionChanges, list_changes
from service.rounds.actions.reading import get_round
from service.rounds.actions.recording import view_hand
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import hands, histories, rounds
from service.tables import queries as tables


def check_link(transaction: Transaction, signed: SignedLink) -> bool:
    """
    Return whether the club of a link has signed it, with its current secret or an earlier one.

    Raises:
        LinkEnded: it has, but the link has expired or was revoked.
    """
    link, secrets = signed.link, links.list_secrets(transaction)
    if not any(map(signed.is_signed_with, secrets)):
        return False
    if link.expires_at <= transaction.now:
        raise LinkEnded(f"the link expired at {show_time(link.expires_at)}")
    if not signed.is_signed_with(secrets[0]) or links.is_revoked(transaction, link):
        raise LinkEnded("the link was revoked")
    return True


def is_signed_by_club(transaction: Transaction, signed: SignedLink) -> bool:
    """Return whether the transaction's club has signed a link with its current secret."""
    found = links.find_secret(transaction)
    return signed.link.club_id == transaction.club_id and found is not None and signed.is_signed_with(found[1])


def issue_link(transaction: Transaction, round_id: UUID, life: timedelta) -> IssuedLink:
    """
    Create a link that shows a round without a key until it expires.

    The link is signed and not stored. The event records that it was created.

    Raises:
        NotFound: the club has no round with this ID.
    """
    stored = rounds.get(transaction, round_id)
    expires_at = transaction.now + life
    event = LinkIssued(round=stored.id, expires_at=expires_at)
    record_event(transaction, event.kind, event.encode())
    link = Link(transaction.club_id, stored.id, expires_at)
    return IssuedLink(write_token(link, links.get_or_create_secret(transaction)), expires_at)


def revoke_link(transaction: Transaction, signed: SignedLink | None) -> None:
    """
    Revoke a link immediately.

    The action is idempotent.

    Args:
        transaction: a transaction of the club of the link.
        signed: the link; None if the token is not a link.

    Raises:
        NotFound: the club has not signed this link with its current secret.
    """
    if signed is None or not is_signed_by_club(transaction, signed):
        raise NotFound("the link is not one of this club, or all links of the club were revoked after it was created")
    link = signed.link
    if link.expires_at > transaction.now:
        event = LinkRevoked(round=link.round_id, expires_at=link.expires_at)
        links.revoke(transaction, link, event.encode())


def revoke_links(database: Database, club: StoredClub) -> None:
    """
    Revoke all links of a club immediately.

    Raises:
        Busy: another command is revoking the links of the club.
    """
    with database.transaction(club.id) as transaction:
        version = links.renew_secret(transaction)
        event = LinksRevoked(version=version)
        record_event(transaction, event.kind, event.encode())


def show_linked_hand(transaction: Transaction, round_id: UUID, number: int) -> tuple[ExplanationView, int]:
    """
    Explain the score of a hand in the current revision of a round, and return how many hands that has.

    Raises:
        NotFound: the round has no hand with this number.
    """
    stored = rounds.get(transaction, round_id)
    happened = histories.get(transaction, stored.id, stored.revision)
    if not 1 <= number <= len(happened.hands):
        raise NotFound(f"the round has no hand {number}; expected a number from 1 to {len(happened.hands)}")
    hand_id = str(happened.hands[number - 1].id)
    explained = explaining.explain_hand(happened.history, number)
    return ExplanationView(hand_id, str(stored.id), stored.revision, True, explained), len(happened.hands)


def show_linked_round(transaction: Transaction, round_id: UUID, expires_at: datetime) -> LinkedRoundView:
    """Return the current revision of a round, with its settlement, for a link that expires."""
    view, settlement = get_round(transaction, round_id), get_settlement(transaction, round_id)
    return LinkedRoundView(expires_at, view, settlement)


@dataclass(frozen=True, slots=True)
class RoundPage:
    """What the players' page of a round has beside the round and its settlement."""

    linked: LinkedRoundView
    table: str
    zone: ZoneInfo
    hands: Sequence[HandView]
    changes: Sequence[RevisionChanges]


def read_round_page(transaction: Transaction, round_id: UUID, expires_at: datetime) -> RoundPage:
    """Return the current revision of a round with its hands, the table's name and what revisions changed."""
    linked = show_linked_round(transaction, round_id, expires_at)
    return RoundPage(
        linked,
        tables.get(transaction, UUID(linked.round.table)).name,
        ZoneInfo(clubs.get(transaction).time_zone),
        list(map(view_hand, hands.list_page(transaction, round_id, linked.settlement.revision))),
        list_changes(transaction, round_id) if linked.settlement.revision > 1 else [],
    )
