from schemas.link_tokens import SignedLink
from service.database import Transaction
from service.repository import link_secrets


def check_link(transaction: Transaction, signed: SignedLink) -> bool:
    """Say whether a link opens its round: it is the club's own, was not revoked, and has not ended."""
    found = link_secrets.find(transaction)
    is_ours = found is not None and signed.is_signed_with(found[1])
    return is_ours and signed.link.expires_at > transaction.now
