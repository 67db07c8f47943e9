"""The explanation: what a hand came to, point by point, and what the caps cut off."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from client.render.cards import ROWS, Names, join, plural, show_cards, signed
from client.render.comparison import show_irregular
from client.render.grid import make_grid, show_grid
from client.render.payments import show_payments

Document = Mapping[str, Any]

FOULS: Final = {
    "top_beats_middle": "foul: the top beats the middle",
    "middle_beats_bottom": "foul: the middle beats the bottom",
    "middle_does_not_qualify": "foul: the middle does not qualify as a low",
    "top_beats_bottom": "foul: the top beats the bottom",
}
NOT_COMPARED: Final = Text("–", style="dim")
WON: Final = {1: Text("▲", style="green"), -1: Text("▼", style="red"), 0: Text("=", style="dim")}
_CARDS_WIDTH: Final = 14


def explain_hand(
    console: Console, hand: Document, answer: Document, ruleset: Document, names: Names, note: str = ""
) -> None:
    """
    Show every board, every pair and every payment of a hand.

    Args:
        console: where to.
        hand: as it was played: its cards.
        answer: what the service or the offline rules say of it.
        ruleset: whose caps are explained.
        names: of the players.
        note: what else is to be said of a hand that is part of a round.
    """
    console.print(_heading(hand, answer, names, note))
    console.print()
    for top_up in hand.get("top_ups") or ():
        console.print(f"{names[top_up['seat']]} adds {plural(top_up['points'], 'point')}.")
    console.print(Text("Boards", style="bold"))
    played = {player["seat"]: player for player in hand["players"]}
    for player in answer["players"]:
        for part in _board(played[player["seat"]], player, names):
            console.print(Padding(part, (0, 0, 0, 2), expand=False))
    console.print()
    show_grid(console, "Pairs, from the first one's side", _pairs(console, answer, names))
    console.print()
    _explain_chips(console, answer, ruleset, names)
    if answer.get("irregular"):
        show_irregular(console, answer["number"], answer["irregular"])


def _heading(hand: Document, answer: Document, names: Names, note: str) -> Text:
    name = f"\nHand {answer['number']}" if "number" in answer else answer["ruleset"]
    heading = Text(name, style="bold")
    if hand.get("button"):
        heading.append(f" · button {names[hand['button']]}")
    return heading.append(f" · {note}" if note else "", style="not bold dim")


def _board(board: Document, scored: Document, names: Names) -> tuple[RenderableType, RenderableType]:
    line = Text(names[scored["seat"]], style="bold")
    line.append(f"  {signed(scored['points'])} {'point' if abs(scored['points']) == 1 else 'points'}", style="not bold")
    if scored["royalties"]:
        line.append(f", royalties {scored['royalties']}", style="not bold")
    for note, style in _notes(board, scored):
        line.append(", ", style="not bold").append(note, style=f"not bold {style}")
    rows = Table.grid(padding=(0, 2, 0, 0))
    for width in (max(map(len, ROWS)), _CARDS_WIDTH, None):
        rows.add_column(min_width=width, no_wrap=width is not None)
    for row in ROWS:
        rows.add_row(Text(row, style="dim"), show_cards(board[row]), _description(scored["rows"][row]))
    return line, Padding(rows, (0, 0, 0, 2), expand=False)


def _description(row: Document) -> Text:
    description = Text(row["description"], style="dim")
    return description.append(f" +{row['royalty']}", style="not dim green") if row["royalty"] else description


def _notes(board: Document, scored: Document) -> Iterable[tuple[str, str]]:
    """Say in words what the figures do not: foul, Fantasyland, the clock."""
    dealt, earned = board.get("fantasyland"), scored["fantasyland"]
    if dealt:
        yield f"in Fantasyland with {dealt} cards", "magenta"
    if scored["foul"]:
        yield FOULS[scored["foul_reason"]], "red"
    if earned:
        yield f"{'stays in' if dealt else 'enters'} Fantasyland with {earned} cards", "magenta"
    by_the_clock = sum(len(street.get("auto") or ()) for street in board.get("streets") or ())
    if by_the_clock:
        yield f"{plural(by_the_clock, 'card')} set by the clock", "yellow"


def _pairs(console: Console, answer: Document, names: Names) -> Table:
    fouls = {player["seat"] for player in answer["players"] if player["foul"]}
    numbers = (*ROWS, "rows", "bonus", "foul", "royalties", "points")
    pairs = make_grid(console, "pair", *numbers, numbers=numbers)
    for exchange in answer["exchanges"]:
        first, second = exchange["seats"]
        is_compared = fouls.isdisjoint(exchange["seats"])
        won = [WON[exchange["rows"][row]] if is_compared else NOT_COMPARED for row in ROWS]
        parts = [signed(exchange[part]) for part in ("row_points", "bonus", "foul", "royalties")]
        pairs.add_row(f"{names[first]} : {names[second]}", *won, *parts, Text(signed(exchange["points"]), style="bold"))
    return pairs


def _explain_chips(console: Console, answer: Document, ruleset: Document, names: Names) -> None:
    """Show what was paid and what everyone has now; or why nothing was."""
    scope_is_round = ruleset["stakes"]["scope"] == "round"
    if answer["transfers"] is None:
        console.print(Text("With a stack for every player and the button, payments are shown too.", style="dim"))
        return
    if answer["transfers"]:
        of_round = ", for the whole round" if "number" in answer else ", as if the round ended here"
        title = "Payments" + (of_round if scope_is_round else "")
        show_payments(console, title, answer["transfers"], ruleset, names)
    elif scope_is_round:
        console.print(Text("Nothing is paid before the round ends.", style="dim"))
    else:
        console.print(Text("Nobody owes anybody anything.", style="dim"))
    stacks = [f"{names[seat]}: {points}" for seat, points in answer["stacks"].items()]
    console.print(Text("Stacks  ", style="dim").append(" · ".join(stacks), style="not dim"))


def explain_next(console: Console, round_: Document, names: Names) -> None:
    """Say what the round's next hand must be, or that it takes none."""
    following = round_["next"]
    if following is None:
        console.print(f"The round is {round_['status']} after {plural(round_['hands'], 'hand')}.")
        return
    button = "with any seat" if following["button"] is None else names[following["button"]]
    line = Text(f"Next: hand {following['number']}, button {button}; ")
    line.append(f"{join(names[seat] for seat in following['seats'])} play")
    fantasyland = [f"{names[seat]} with {cards} cards" for seat, cards in following["fantasyland"].items()]
    if fantasyland:
        line.append(f"; in Fantasyland {join(fantasyland)}", style="magenta")
    console.print(line)
