"""Sum up the statistics of rounds by player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from service.db import Transaction


@dataclass(frozen=True, slots=True)
class StatisticsFilter:
    """A filter for rounds and players; None matches any. The times are opening times."""

    player: str | None = None
    table_id: UUID | None = None
    ruleset_name: str | None = None
    ruleset_version: int | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None


def _conditions(wanted: StatisticsFilter, of_round: str, of_ruleset: str) -> str:
    conditions = {
        f"{of_ruleset}.table_id = :table_id": wanted.table_id,
        f"{of_ruleset}.ruleset_name = :ruleset_name": wanted.ruleset_name,
        f"{of_ruleset}.ruleset_version = :ruleset_version": wanted.ruleset_version,
        f"{of_round}.opened_at >= :opened_from": wanted.opened_from,
        f"{of_round}.opened_at < :opened_before": wanted.opened_before,
    }
    return "".join(f" AND {condition}" for condition, value in conditions.items() if value is not None)


FIGURES: Final = (
    "hands", "points", "squares", "fouls", "fantasyland_entered", "fantasyland_stayed", "royalties_top",
    "royalties_middle", "royalties_bottom", "scoops", "not_received", "not_paid",
)  # fmt: skip
_SUMS: Final = ", ".join(f"sum(measured.{name}) AS {name}" for name in FIGURES)


def list_sums(transaction: Transaction, wanted: StatisticsFilter) -> Sequence[Row[Any]]:
    """List the sums of the statistics by player, without rounds that have changed since they were measured."""
    of_player = " AND measured.player = :player" if wanted.player is not None else ""
    query = f"""
        SELECT measured.player, count(*) AS rounds, {_SUMS}
        FROM round_statistics AS measured
        WHERE measured.club_id = :club_id{of_player}{_conditions(wanted, "measured", "measured")}
            AND NOT EXISTS (
                SELECT FROM unmeasured_rounds AS changed
                WHERE (changed.club_id, changed.round_id) = (measured.club_id, measured.round_id)
            )
        GROUP BY measured.player
    """
    return transaction.execute(text(query), _parameters(transaction, wanted)).all()


def list_unmeasured(transaction: Transaction, wanted: StatisticsFilter, limit: int) -> list[UUID]:
    """List rounds that have changed since they were measured, newest first."""
    of_player = " AND :player = ANY (head.players)" if wanted.player is not None else ""
    query = f"""
        SELECT head.round_id FROM round_heads AS head
        JOIN rounds AS round ON (round.club_id, round.id) = (head.club_id, head.round_id)
        WHERE head.club_id = :club_id{of_player}{_conditions(wanted, "round", "head")}
            AND head.round_id IN (SELECT round_id FROM unmeasured_rounds WHERE club_id = :club_id)
        ORDER BY head.round_id DESC LIMIT :limit
    """
    found = transaction.execute(text(query), {**_parameters(transaction, wanted), "limit": limit})
    return list(found.scalars())


def has_played(transaction: Transaction, player: str) -> bool:
    """Return whether a player sat in a round of the club."""
    query = text("SELECT EXISTS (SELECT FROM round_seats WHERE club_id = :club_id AND player = :player)")
    return bool(transaction.execute(query, {"club_id": transaction.club_id, "player": player}).scalar_one())


def _parameters(transaction: Transaction, wanted: StatisticsFilter) -> dict[str, Any]:
    return {
        "club_id": transaction.club_id,
        "player": wanted.player,
        "table_id": wanted.table_id,
        "ruleset_name": wanted.ruleset_name,
        "ruleset_version": wanted.ruleset_version,
        "opened_from": wanted.opened_from,
        "opened_before": wanted.opened_before,
    }
