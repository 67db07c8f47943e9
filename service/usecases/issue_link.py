from datetime import timedelta
from uuid import UUID

from schemas.fields import show_time
from schemas.hands import canonical_json
from schemas.link_tokens import Link, write_token
from schemas.links import IssuedLink
from service.audit import EventKind, record_event
from service.database import Transaction
from service.repository import link_secrets, rounds


def issue_link(transaction: Transaction, round_id: UUID, life: timedelta) -> IssuedLink:
    """
    Make an address at which a round can be read without a key, for a while.

    The address itself is kept nowhere: it is signed, and whoever has it, has it. The audit trail says that it was made.

    Raises:
        NotFound: the club has no such round.
    """
    stored = rounds.get(transaction, round_id)
    expires_at = transaction.now + life
    event = {"round": str(stored.id), "expires_at": show_time(expires_at)}
    record_event(transaction, EventKind.LINK_ISSUED, canonical_json(event))
    link = Link(transaction.club_id, stored.id, expires_at)
    return IssuedLink(write_token(link, link_secrets.get_or_make(transaction)), expires_at)
