"""Issue, check and revoke links, and read the round that a link shows."""

from datetime import timedelta
from uuid import UUID

from evidence.events import LinkIssued, LinkRevoked, LinksRevoked
from schemas.access import IssuedLink, Link, LinkedRoundView, SignedLink, write_token
from schemas.explanations.explanations import ExplanationView
from scoring.explanation import hands as explaining
from service.clubs.queries.clubs import StoredClub
from service.db import Database, Transaction
from service.errors import NotFound
from service.ledger.queries.events import record_event
from service.links import queries as links
from service.rounds.actions.reading import get_round
from service.rounds.actions.settlements import get_settlement
from service.rounds.queries import histories, rounds


def check_link(transaction: Transaction, signed: SignedLink) -> bool:
    """Return whether a link is valid: signed by the club, not expired and not revoked."""
    is_on_time = signed.link.expires_at > transaction.now
    return is_on_time and is_signed_by_club(transaction, signed) and not links.is_revoked(transaction, signed.link)


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


def show_linked_hand(transaction: Transaction, link: Link, number: int) -> ExplanationView:
    """
    Explain the score of a hand in the current revision of a link's round.

    Raises:
        NotFound: the round has no hand with this number.
    """
    stored = rounds.get(transaction, link.round_id)
    happened = histories.get(transaction, stored.id, stored.revision)
    if not 1 <= number <= len(happened.hands):
        raise NotFound(f"the round has no hand {number}; expected a number from 1 to {len(happened.hands)}")
    hand_id = str(happened.hands[number - 1].id)
    explained = explaining.explain_hand(happened.history, number)
    return ExplanationView(hand_id, str(stored.id), stored.revision, True, explained)


def show_linked_round(transaction: Transaction, link: Link) -> LinkedRoundView:
    """Return the current revision of a link's round, with its settlement."""
    view, settlement = get_round(transaction, link.round_id), get_settlement(transaction, link.round_id)
    return LinkedRoundView(link.expires_at, view, settlement)
