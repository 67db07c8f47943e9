from schemas.link_tokens import SignedLink
from service.database import Transaction
from service.repository import link_secrets, revoked_links


def check_link(transaction: Transaction, signed: SignedLink) -> bool:
    """Say whether a link opens its round: it is the club's own, has not ended, and was not revoked."""
    is_on_time = signed.link.expires_at > transaction.now
    return is_on_time and is_ours(transaction, signed) and not revoked_links.is_there(transaction, signed.link)


def is_ours(transaction: Transaction, signed: SignedLink) -> bool:
    """Say whether a link was made by the transaction's club, and not all of its links were revoked since."""
    found = link_secrets.find(transaction)
    return signed.link.club_id == transaction.club_id and found is not None and signed.is_signed_with(found[1])
