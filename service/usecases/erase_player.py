from schemas.hands import canonical_json
from service.database import Transaction
from service.repository import players


def erase_player(transaction: Transaction, player: str) -> None:
    """
    Erase a player's display name, if he has one; his id in the records stays.

    That he has none afterwards is all that is asked for, so that a request sent again is answered the same.
    """
    players.erase(transaction, player, canonical_json({"player": player}))
