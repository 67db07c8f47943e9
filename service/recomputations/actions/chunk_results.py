"""The results of the chunks of a recomputation, as they are stored, and their sum."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.jobs.changes import Changes
from schemas.ledger.settling import Worth, dump_worth
from schemas.money import dump_unit, load_unit
from service.recomputations.actions.recompute import Recomputed
from service.replays.in_bulk import RoundsDigest

COUNTED: Final = ("rounds", "hands", "differing", "applied", "skipped")
"""The numbers of a result."""


@dataclass(slots=True)
class ResultSum:
    """
    The sum of the results of chunks. It does not depend on how the rounds were divided.

    Attributes:
        counted: the numbers of `COUNTED`.
        tables: the IDs of the tables with differing rounds.
        provisional: what changes in rounds whose settlement was never final.
        final: the same in rounds whose settlement is or was final.
        digest: the digest of the computed results.
    """

    counted: Counter[str] = field(default_factory=Counter)
    tables: set[str] = field(default_factory=set)
    provisional: Changes = field(default_factory=Changes)
    final: Changes = field(default_factory=Changes)
    digest: RoundsDigest = field(default_factory=RoundsDigest)


def dump_result(total: Recomputed) -> dict[str, Any]:
    """Encode the result of a chunk: its size grows with the tables and players of the chunk, not with its rounds."""
    return {
        **{name: getattr(total, name) for name in COUNTED},
        "tables": sorted(map(str, total.tables)),
        "provisional": _dump_changes(total.provisional),
        "final": _dump_changes(total.final),
        "digest": total.digest.hex(),
    }


def sum_results(results: Iterable[Mapping[str, Any]]) -> ResultSum:
    """Add up the results of chunks."""
    total = ResultSum()
    for result in results:
        total.counted.update({name: result[name] for name in COUNTED})
        total.tables.update(result["tables"])
        total.provisional.add(_load_changes(result["provisional"]))
        total.final.add(_load_changes(result["final"]))
        total.digest.add_all(result["digest"])
    return total


def _dump_changes(changes: Changes) -> dict[str, Any]:
    """
    Encode changes. A player whose changes add up to zero remains, because another chunk can have others.

    >>> from schemas.money import Unit
    >>> euro = Worth(10, Unit("EUR", 2), None)
    >>> stored = _dump_changes(Changes(1, {euro: {"kim": 0, "uma": 0}}))
    >>> stored["moved"]
    [{'point_value': 10, 'unit': 'EUR', 'table': None, 'unit_digits': 2, 'players': {'kim': 0, 'uma': 0}}]
    >>> _load_changes(stored) == Changes(1, {euro: {"kim": 0, "uma": 0}})
    True
    """
    moved = [
        {**dump_worth(worth), **dump_unit(worth.unit), "players": dict(players)}
        for worth, players in changes.moved.items()
    ]
    return {"rounds": changes.rounds, "moved": moved}


def _load_changes(stored: Mapping[str, Any]) -> Changes:
    moved = {
        Worth(each["point_value"], load_unit(each["unit"], each["unit_digits"]), each["table"]): dict(each["players"])
        for each in stored["moved"]
    }
    return Changes(stored["rounds"], moved)
