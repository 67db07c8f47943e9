"""Issue, check and revoke links, and read the round that a link shows."""

from datetime import timedelta
from uuid import UUID

from evidence.events import LinkIssued, LinkRevoked, LinksRevoked
from schemas.access import IssuedLink, Link, LinkedRoundView, SignedLink, write_token
from schemas.explanations import ExplanationView
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
    """Say whether a link opens its round: it is the club's own, has not ended, and was not revoked."""
    is_on_time = signed.link.expires_at > transaction.now
    return is_on_time and is_ours(transaction, signed) and not links.is_revoked(transaction, signed.link)


def is_ours(transaction: Transaction, signed: SignedLink) -> bool:
    """Say whether a link was made by the transaction's club, and not all of its links were revoked since."""
    found = links.find_secret(transaction)
    return signed.link.club_id == transaction.club_id and found is not None and signed.is_signed_with(found[1])


def issue_link(transaction: Transaction, round_id: UUID, life: timedelta) -> IssuedLink:
    """
    Make an address at which a round can be read without a key, for a while.

    The address itself is kept nowhere: it is signed, and whoever has it, has it. The audit trail says that it was made.

    Raises:
        NotFound: the club has no such round.
    """
    stored = rounds.get(transaction, round_id)
    expires_at = transaction.now + life
    event = LinkIssued(round=stored.id, expires_at=expires_at)
    record_event(transaction, event.kind, event.encode())
    link = Link(transaction.club_id, stored.id, expires_at)
    return IssuedLink(write_token(link, links.get_or_create_secret(transaction)), expires_at)


def revoke_link(transaction: Transaction, signed: SignedLink | None) -> None:
    """
    Let one link to a round open nothing any more, at once.

    That it opens nothing afterwards is all that is asked for, so that a request sent again is answered the same.

    Args:
        transaction: of the club whose link it is.
        signed: the link; None where what was sent is none.

    Raises:
        NotFound: it is no link of the club's.
    """
    if signed is None or not is_ours(transaction, signed):
        raise NotFound("the club has made no such link, or all of its links were revoked since")
    link = signed.link
    if link.expires_at > transaction.now:
        event = LinkRevoked(round=link.round_id, expires_at=link.expires_at)
        links.revoke(transaction, link, event.encode())


def revoke_links(database: Database, club: StoredClub) -> None:
    """
    Let every link to a round of a club open nothing any more, at once.

    Raises:
        Busy: somebody else is doing the same.
    """
    with database.transaction(club.id) as transaction:
        version = links.renew_secret(transaction)
        event = LinksRevoked(version=version)
        record_event(transaction, event.kind, event.encode())


def show_linked_hand(transaction: Transaction, link: Link, number: int) -> ExplanationView:
    """
    Say why a hand of a round, as that stands, came to what it came to, to whoever has a link to the round.

    Raises:
        NotFound: the round has no such hand.
    """
    stored = rounds.get(transaction, link.round_id)
    happened = histories.get(transaction, stored.id, stored.revision)
    if not 1 <= number <= len(happened.hands):
        raise NotFound(f"the round has no hand {number}; it has {len(happened.hands)}")
    hand_id = str(happened.hands[number - 1].id)
    explained = explaining.explain_hand(happened.history, number)
    return ExplanationView(hand_id, str(stored.id), stored.revision, True, explained)


def show_linked_round(transaction: Transaction, link: Link) -> LinkedRoundView:
    """Show a round as it stands, and who paid whom in it, to whoever has a link to it."""
    view, settlement = get_round(transaction, link.round_id), get_settlement(transaction, link.round_id)
    return LinkedRoundView(link.expires_at, view, settlement)
