"""Rounds without a service: open one, check changes of one, and sum up a table's."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from client.errors import RefusedError, UnreadableError
from client.offline.problems import make_refusal, translate_errors
from client.offline.score import play_round
from schemas.accounting.settling import PointUnit, settle_fewest, unit_of
from schemas.accounting.statements import PlayerStatement, PointTotals, StatementView, dump_statement
from schemas.base import load
from schemas.rounds import HandUndoRequestSchema
from scoring.errors import Mistake

Document = dict[str, Any]

_UNDO: Final = HandUndoRequestSchema()
_NO_RECORD: Final = str(UUID(int=0))


def play_hand(document: Document, hand: Document, ruleset: Document) -> Document:
    """
    Return the result of the next hand of a round, like `POST /v1/rounds/{id}/hands` without ids.

    Raises:
        RefusedError: the hand is invalid; pointers are relative to the hand.
    """
    hands = document["hands"]
    with _relative_pointers(f"#/hands/{len(hands)}"):
        # Only the service checks for repeated deals.
        played = {name: value for name, value in hand.items() if name != "dealt_again"}
        result: Document = play_round({**document, "hands": [*hands, played]}, ruleset)["hands"][-1]
    return result


def check_change(document: Document, verb: str, request: Document, ruleset: Document) -> None:
    """
    Validate an undo, a departure or a closing.

    Raises:
        RefusedError: the change is invalid; pointers are relative to the request.
        UnicodeEncodeError: a text of the request is not valid Unicode.
    """
    json.dumps(request, ensure_ascii=False).encode()
    if verb == "undo_hand":
        _check_undo(document, request)
        return
    ending = {name: value for name, value in request.items() if name != "expected"}
    ending["after_hand"] = len(document["hands"])
    departures = document.get("departures") or []
    if verb == "record_departure":
        place, changed = f"#/departures/{len(departures)}", {**document, "departures": [*departures, ending]}
    else:
        place, changed = "#/closed", {**document, "closed": ending}
    with _relative_pointers(place):
        play_round(changed, ruleset)


def _check_undo(document: Document, request: Document) -> None:
    with translate_errors():
        # The record of a hand that waits is not known yet. It is named before the undo is sent.
        load(_UNDO, {"hand": _NO_RECORD, **request})
    if document.get("closed"):
        last = len(document["hands"])
        detail = f"the round was closed after hand {last}; none of its hands can be undone"
        raise make_refusal("undo-refused", Mistake("round-closed", (), detail))


@contextmanager
def _relative_pointers(before: str) -> Iterator[None]:
    """Convert pointers into the whole document to pointers into the request."""
    try:
        yield
    except RefusedError as error:
        mistakes = [
            {**mistake, "pointer": "#" + mistake["pointer"].removeprefix(before).removeprefix("#")}
            for mistake in error.problem["errors"]
        ]
        error.problem = {**error.problem, "errors": mistakes}
        raise


def open_round(
    table: Document, ruleset: Document, seats: Iterable[Document], reference: str, carried: Mapping[str, int]
) -> Document:
    """
    Return the document of a new round.

    Args:
        table: the table where the round is opened.
        ruleset: of the table.
        seats: who sits where; a stack left out carries over.
        reference: the name of the round at its table.
        carried: the stack of each player at the end of their last round at the table.

    Raises:
        RefusedError: seats or stacks are invalid, with every reason.
    """
    seats = list(seats)
    mistakes = list(_stack_mistakes(table, seats, carried))
    if mistakes:
        raise make_refusal("round-invalid", *mistakes)
    document = {
        "ruleset": table["ruleset"],
        "table": table["name"],
        "reference": reference,
        "point_value": table["point_value"],
        "currency": table["currency"],
        "seats": sorted(
            ({**seat, "stack": seat.get("stack", carried.get(seat["player"]))} for seat in seats),
            key=lambda seat: int(seat["seat"]),
        ),
        "hands": [],
        "departures": [],
        "closed": None,
    }
    play_round(document, ruleset)
    return document


def refuse_open(table: str) -> None:
    """
    Reject the opening of a round while another one is open at the table.

    Raises:
        RefusedError: always.
    """
    detail = f"a round is open at {table}; finish it, or close it with `ofc round close {table} --reason TEXT`, first"
    raise make_refusal("round-open", Mistake("round-open", (), detail))


def _stack_mistakes(table: Document, seats: Sequence[Document], carried: Mapping[str, int]) -> Iterator[Mistake]:
    for index, seat in enumerate(seats):
        path, player, stack = ("seats", index, "stack"), seat["player"], seat.get("stack")
        if stack is None and not carried.get(player):
            why = (
                "has no points left"
                if player in carried
                else "has no round at the table that is stored on this machine"
            )
            yield Mistake("stack-missing", path, f"is required: {player} {why}; give a stack, for example {player}=200")
        elif stack is not None and stack < (table["minimum_stack"] or 0) and stack != carried.get(player):
            yield Mistake(
                "stack-below-minimum",
                path,
                f"is {stack}; expected at least {table['minimum_stack']}, the table's minimum",
            )


def sum_rounds(table: str, rounds: Sequence[Document], opened_from: str | None, opened_before: str | None) -> Document:
    """
    Return the statement of rounds, like `GET /v1/tables/{id}/statement`.

    Args:
        table: the table's id.
        rounds: of the table, the oldest first.
        opened_from: only rounds opened at this time or later.
        opened_before: only rounds opened before this time.

    Raises:
        UnreadableError: a time is not in RFC 3339.
    """
    start, end = _read_time("--from", opened_from), _read_time("--to", opened_before)
    counted = [
        round_
        for round_ in rounds
        if (start is None or datetime.fromisoformat(round_["opened_at"]) >= start)
        and (end is None or datetime.fromisoformat(round_["opened_at"]) < end)
    ]
    players = _sum_players(table, counted)
    points = [player.points for player in players]
    view = StatementView(
        table=table,
        opened_from=start,
        opened_before=end,
        rounds=len(counted),
        open_rounds=sum(round_["status"] == "open" for round_ in counted),
        players=players,
        totals=PointTotals(
            opening_stack=sum(each.opening_stack for each in points),
            top_ups=sum(each.top_ups for each in points),
            net=sum(each.net for each in points),
            stack=sum(each.stack for each in points),
        ),
        settled=settle_fewest({player.player: player.nets for player in players}),
    )
    statement: Document = dump_statement(view)
    return statement


def _sum_players(table: str, rounds: Sequence[Document]) -> list[PlayerStatement]:
    played: dict[str, list[Document]] = defaultdict(list)
    nets: dict[str, dict[PointUnit, int]] = defaultdict(lambda: defaultdict(int))
    for round_ in rounds:
        for seat in round_["seats"]:
            played[seat["player"]].append(seat)
            nets[seat["player"]][unit_of(round_["point_value"], round_["currency"], table)] += _net(seat)
    return [
        PlayerStatement(
            player,
            len(seats),
            PointTotals(
                opening_stack=seats[0]["opening_stack"],
                top_ups=sum(seat["top_ups"] for seat in seats),
                net=sum(_net(seat) for seat in seats),
                stack=seats[-1]["stack"],
            ),
            dict(nets[player]),
        )
        for player, seats in played.items()
    ]


def _net(seat: Document) -> int:
    net: int = seat["stack"] - seat["opening_stack"] - seat["top_ups"]
    return net


def _read_time(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise UnreadableError(f"{option}: {text!r} is not a time in RFC 3339; expected one like 2026-11-20T21:00:00Z")
    return read
