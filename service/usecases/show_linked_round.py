from schemas.link_tokens import Link
from schemas.links import LinkedRoundView
from service.database import Transaction
from service.usecases.get_round import get_round
from service.usecases.get_settlement import get_settlement


def show_linked_round(transaction: Transaction, link: Link) -> LinkedRoundView:
    """Show a round as it stands, and who paid whom in it, to whoever has a link to it."""
    view, settlement = get_round(transaction, link.round_id), get_settlement(transaction, link.round_id)
    return LinkedRoundView(link.expires_at, view, settlement)
