"""Which rounds are meant: the one filter of lists, exports, statements, statistics, plots and jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import TextClause, bindparam, text
from sqlalchemy.types import NullType

from schemas.settlements import SettlementState
from scoring.round_state import RoundStatus
from service.db import Transaction
from service.players.queries.aliases import read_aliases


@dataclass(frozen=True, slots=True)
class RoundFilter:
    """
    A filter for rounds; None matches any. The times are opening times, `opened_before` excluded.

    >>> chosen = RoundFilter(ruleset="pineapple@2")
    >>> chosen.ruleset_name, chosen.ruleset_version
    ('pineapple', 2)

    Attributes:
        table_name: the name of a table that is not archived.
        tables, round_ids: any of these.
        audit: the recomputation, an audit, that found a difference in the round.
        player: a player who sits in the newest revision, by any of their IDs.
        ruleset: the ruleset of the newest revision: a name or `name@version`.
    """

    table_id: UUID | None = None
    table_name: str | None = None
    tables: Sequence[UUID] | None = None
    round_id: UUID | None = None
    round_ids: Sequence[UUID] | None = None
    audit: UUID | None = None
    reference: str | None = None
    player: str | None = None
    status: RoundStatus | None = None
    state: SettlementState | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None
    ruleset: str | None = None

    @property
    def ruleset_name(self) -> str | None:
        """The name of the ruleset."""
        return None if self.ruleset is None else self.ruleset.partition("@")[0]

    @property
    def ruleset_version(self) -> int | None:
        """The version of the ruleset; None for any version."""
        version = (self.ruleset or "").partition("@")[2]
        return int(version) if version else None

    @property
    def needs_round(self) -> bool:
        """Whether its conditions are on the record of the round too, and not only on its head."""
        return any(getattr(self, name) is not None for name in _OF_ROUND)


_CONDITIONS: Final = {
    "table_id": "{table}.table_id = {value}",
    "table_name": "({round}.club_id, {round}.table_id) IN"
    " (SELECT club_id, id FROM tables WHERE name = {value} AND archived_at IS NULL)",
    "tables": "{table}.table_id = ANY ({value})",
    "round_id": "{head}.round_id = {value}",
    "round_ids": "{head}.round_id = ANY ({value})",
    "audit": "({head}.club_id, {head}.round_id) IN"
    " (SELECT audited.club_id, audited.round_id FROM audited_rounds AS audited WHERE audited.job_id = {value})",
    "reference": "{round}.reference = {value}",
    "player": "EXISTS (SELECT FROM round_seats AS seated WHERE (seated.club_id, seated.round_id, seated.revision)"
    " = ({head}.club_id, {head}.round_id, {head}.revision) AND seated.player = ANY ({value}))",
    "status": "{head}.status = {value}",
    "state": "{head}.settlement_state = {value}",
    "opened_from": "{round}.opened_at >= {value}",
    "opened_before": "{round}.opened_at < {value}",
    "ruleset_name": "{head}.ruleset_name = {value}",
    "ruleset_version": "{head}.ruleset_version = {value}",
}
_OF_ROUND: Final = ("table_name", "reference", "opened_from", "opened_before")


def list_conditions(filter_: RoundFilter, *, head: str, round_: str, table: str, place: str = ":{}") -> list[str]:
    """
    Return the conditions of a filter.

    Args:
        filter_: the filter.
        head: the alias of the heads of rounds.
        round_: the alias of the rounds.
        table: the alias of the one whose `table_id` is compared.
        place: how the query names a parameter.
    """
    names = {"head": head, "round": round_, "table": table}
    return [_CONDITIONS[name].format(value=place.format(name), **names) for name in _set_values(filter_)]


def list_result_conditions(filter_: RoundFilter) -> list[str]:
    """
    Return the conditions of a filter for `result`, a result of a player in a round.

    >>> list_result_conditions(RoundFilter(player="ann", ruleset="turbo"))
    ['result.player = ANY (:player)', 'result.ruleset_name = :ruleset_name']

    Args:
        filter_: the filter, on tables, rounds, opening times and rulesets; its player is that of the result.
    """
    names = dict.fromkeys(("head", "round", "table"), "result")
    of_results = _CONDITIONS | {"player": "result.player = ANY ({value})"}
    return [of_results[name].format(value=f":{name}", **names) for name in _set_values(filter_)]


def filter_parameters(transaction: Transaction, filter_: RoundFilter) -> dict[str, Any]:
    """Return the parameters of the conditions of a filter: of its player, all IDs."""
    values = _set_values(filter_)
    if filter_.player is not None:
        values["player"] = read_aliases(transaction).ids_of(filter_.player)
    return values


def _set_values(filter_: RoundFilter) -> dict[str, Any]:
    """Return the values of a filter that are not None, as parameters, by the names of their conditions."""
    values: dict[str, Any] = {name: getattr(filter_, name) for name in _CONDITIONS}
    for name, value in values.items():
        if isinstance(value, StrEnum):
            values[name] = value.value
        elif name in ("tables", "round_ids") and value is not None:
            values[name] = [*value]
    return {name: value for name, value in values.items() if value is not None}


def where_rounds(transaction: Transaction, filter_: RoundFilter, *, table: str = "rounds") -> TextClause:
    """Return the conditions of a filter for a query of `rounds` and `round_heads`."""
    conditions = list_conditions(filter_, head="round_heads", round_="rounds", table=table)
    parameters = [bindparam(name, value, NullType()) for name, value in filter_parameters(transaction, filter_).items()]
    return text(" AND ".join(conditions) or "true").bindparams(*parameters)
