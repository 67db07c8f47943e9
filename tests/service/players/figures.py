"""Everything that the API sums up by player in a club, and how the figures of several IDs add up to those of one."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from tests.support.api_client import Api
from tests.support.sample_rounds import Document

PLOTS = ("net", "sources", "head-to-head", "caps", "fouls", "distribution")
NOT_ADDED = ("player", "tables", "points_per_hand", "opening_stack", "between_rounds", "stack")
"""Figures of a player that are no sums over rounds, and those that are added on their own."""


def read_sums(api: Api, tables: Iterable[str] = ()) -> dict[str, Document]:
    """Read the sums over all players, by the path that has them."""
    paths = [
        "/v1/statement",
        "/v1/statement?settle_up=pairs",
        "/v1/statistics",
        "/v1/balances",
        *(f"/v1/plots/{plot}" for plot in PLOTS),
        *(f"/v1/tables/{table}/statement" for table in tables),
        *(f"/v1/plots/stacks?table={table}" for table in tables),
        *(f"/v1/balances?table={table}" for table in tables),
    ]
    return {path: api.get(path).document for path in paths}


def read_figures_of(api: Api, player: str) -> dict[str, Document]:
    """Read the figures and lists of one player, by the path that has them."""
    selected = quote(player, safe="")
    paths = [
        f"/v1/players/{selected}/statistics",
        *(f"/v1/{each}?player={selected}" for each in ("rounds", "hands", "ledger", "statement", "balances")),
        f"/v1/statement?player={selected}&settle_up=pairs",
        *(f"/v1/plots/{plot}?player={selected}" for plot in PLOTS),
    ]
    return {path.replace(selected, "PLAYER"): _without_requested(api.get(path).document) for path in paths}


def _without_requested(document: Document) -> Document:
    """Leave out the cursor of a list, which names no player, but the moment."""
    return {name: value for name, value in document.items() if name != "next_cursor"}


def add_up(rows: Iterable[Document], players: Mapping[str, str]) -> dict[str, Document]:
    """Return rows of figures by player, with those of IDs of one player added."""
    by_player: dict[str, Document] = {}
    for row in rows:
        player = players.get(row["player"], row["player"])
        added = by_player.setdefault(player, {})
        for name, value in row.items():
            if name not in NOT_ADDED:
                added[name] = _add(added.get(name), value)
    for added in by_player.values():
        # What was charged and taken back is left out.
        if isinstance(added.get("charges"), dict):
            added["charges"] = {unit: amount for unit, amount in added["charges"].items() if amount}
    return by_player


def _add(one: Any, other: Any) -> Any:
    if one is None:
        return other
    if isinstance(other, dict):
        return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}
    return one + other


def check_added(parts: Mapping[str, Document], joined: Mapping[str, Document], players: Mapping[str, str]) -> None:
    """Check that the sums of players who have several IDs are the sums over their IDs."""
    for path in ("/v1/statistics", "/v1/statement"):
        assert add_up(joined[path]["players"], {}) == add_up(parts[path]["players"], players), path
    balances = {unit["unit"]: unit["players"] for unit in joined["/v1/balances"]["units"]}
    before = {unit["unit"]: unit["players"] for unit in parts["/v1/balances"]["units"]}
    assert balances.keys() == before.keys()
    for unit, rows in balances.items():
        assert add_up(rows, {}) == add_up(before[unit], players), unit
