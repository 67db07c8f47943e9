"""What is kept, as the wire writes it."""

from schemas.players import PlayerView
from schemas.rounds import RecordedHand, RoundView
from schemas.tables import TableView
from service.repository.hands import StoredHand
from service.repository.players import StoredPlayer
from service.repository.rounds import StoredRound
from service.repository.tables import StoredTable


def view_table(stored: StoredTable) -> TableView:
    """Show a table."""
    return TableView(
        id=str(stored.id),
        name=stored.name,
        ruleset=f"{stored.ruleset_name}@{stored.ruleset_version}",
        point_value=stored.point_value,
        currency=stored.currency,
        minimum_stack=stored.minimum_stack,
        correction_window_minutes=stored.correction_window_minutes,
        created_at=stored.created_at,
    )


def view_player(stored: StoredPlayer) -> PlayerView:
    """Show what a player is called."""
    return PlayerView(stored.player, stored.display_name, stored.named_at)


def view_round(stored: StoredRound) -> RoundView:
    """Show a round as it stands."""
    return RoundView(
        id=str(stored.id),
        table=str(stored.table_id),
        round=stored.round,
        version=stored.version,
        reference=stored.reference,
        point_value=stored.point_value,
        currency=stored.currency,
        opened_at=stored.opened_at,
        state=stored.firmness.settlement_state,
    )


def view_hand(stored: StoredHand) -> RecordedHand:
    """Show a hand and what it came to."""
    return RecordedHand(
        id=str(stored.id),
        hand=stored.hand,
        ruleset=stored.ruleset,
        players=stored.players,
        played_at=stored.played_at,
        recorded_at=stored.recorded_at,
        score=stored.score,
        transfers=stored.transfers,
        stacks=stored.stacks,
        in_force=stored.in_force,
        irregular=stored.irregular,
    )
