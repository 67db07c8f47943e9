"""Who decides about a round: nobody who sat in it, as far as the players of keys are declared."""

from uuid import UUID

from service.clubs.queries.keys import StoredKey
from service.db import Transaction
from service.errors import OwnRound
from service.players.queries.aliases import read_aliases
from service.rounds.queries import rounds


def require_decider(transaction: Transaction, key: StoredKey, round_id: UUID) -> None:
    """
    Check that the player of a key did not sit in a round.

    Raises:
        OwnRound: they did.
    """
    player = find_own_player(transaction, key, round_id)
    if player is not None:
        raise OwnRound(explain_own_round(key, player, round_id))


def find_own_player(transaction: Transaction, key: StoredKey, round_id: UUID) -> str | None:
    """
    Return the ID under which the player of a key sat in a round, in any of its revisions.

    Returns:
        The ID; None if they did not sit in it, or if the key has no player.
    """
    own = list_own_ids(transaction, key)
    seated = rounds.list_seated(transaction, round_id) if own else ()
    return next((player for player in seated if player in own), None)


def list_own_ids(transaction: Transaction, key: StoredKey) -> list[str]:
    """List the IDs of the player of a key, with their aliases; none if it has no player."""
    return [] if key.declared_player is None else read_aliases(transaction).ids_of(key.declared_player)


def explain_own_round(key: StoredKey, player: str, round_id: UUID) -> str:
    """Return the sentence that refuses a decision about the own round of a player."""
    kind = "link" if key.is_link else "key"
    return (
        f"the {kind} {key.name!r} is that of the player {player!r}, who sat in round {round_id}; expected a key of"
        " somebody who did not sit in it"
    )
