from schemas.fields import show_time
from schemas.hands import canonical_json
from schemas.link_tokens import SignedLink
from service.database import Transaction
from service.errors import NotFound
from service.repository import revoked_links
from service.usecases.check_link import is_ours


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
        event = {"round": str(link.round_id), "expires_at": show_time(link.expires_at)}
        revoked_links.add(transaction, link, canonical_json(event))
