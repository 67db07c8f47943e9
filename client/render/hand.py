"""The explanation: what a hand came to, point by point, and what the caps cut off."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from client.render.cards import ROWS, Names, plural, show_cards, signed

Document = Mapping[str, Any]

FOULS: Final = {
    "top_beats_middle": "foul: the top beats the middle",
    "middle_beats_bottom": "foul: the middle beats the bottom",
    "middle_does_not_qualify": "foul: the middle is no ten-high low",
    "top_beats_bottom": "foul: the top beats the bottom",
}
NOT_COMPARED: Final = Text("–", style="dim")
WON: Final = {1: Text("▲", style="green"), -1: Text("▼", style="red"), 0: Text("=", style="dim")}


def explain_hand(console: Console, hand: Document, answer: Document, ruleset: Document, names: Names) -> None:
    """
    Show every board, every pair and every payment of a hand.

    Args:
        console: where to.
        hand: as it was played: its cards.
        answer: what the service or the offline rules say of it.
        ruleset: whose caps are explained.
        names: of the players.
    """
    for part in _parts(hand, answer, ruleset, names):
        console.print(part)


def _parts(hand: Document, answer: Document, ruleset: Document, names: Names) -> Iterator[RenderableType]:
    if "number" in answer:
        button = f" · button {names[answer['button']]}"
        yield Text(f"\nHand {answer['number']}{button}", style="bold")
    cards = {player["seat"]: player for player in hand["players"]}
    yield _boards(cards, answer["players"], names)
    yield ""
    yield _pairs(answer["exchanges"], {player["seat"] for player in answer["players"] if player["foul"]}, names)
    if answer["transfers"]:
        yield ""
        yield payments(answer["transfers"], ruleset, names)
    if answer["stacks"] is not None:
        yield stacks_line(answer["stacks"], names)


def _boards(cards: Mapping[int, Document], players: Iterable[Document], names: Names) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", *ROWS, "royalties", "points", ""):
        table.add_column(heading, header_style="dim", justify="right" if heading in ("royalties", "points") else "left")
    for player in players:
        board = cards[player["seat"]]
        rows = [_row(board[row], player["rows"][row]) for row in ROWS]
        table.add_row(
            Text(names[player["seat"]], style="bold"), *rows, str(player["royalties"]), signed(player["points"]),
            _notes(board, player),
        )  # fmt: skip
    return table


def _row(cards: Iterable[str], scored: Document) -> Group:
    description = Text(scored["description"], style="dim")
    if scored["royalty"]:
        description.append(f" +{scored['royalty']}", style="not dim")
    return Group(show_cards(cards), description)


def _notes(board: Document, player: Document) -> Group:
    notes = []
    if board.get("fantasyland"):
        notes.append(Text(f"in Fantasyland, {board['fantasyland']} cards", style="magenta"))
    if player["foul"]:
        notes.append(Text(FOULS[player["foul_reason"]], style="red"))
    if player["fantasyland"]:
        notes.append(Text(f"→ Fantasyland, {player['fantasyland']} cards", style="magenta"))
    return Group(*notes)


def _pairs(exchanges: Iterable[Document], fouls: set[int], names: Names) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("pair", *ROWS, "rows", "bonus", "foul", "royalties", "points"):
        table.add_column(heading, header_style="dim", justify="left" if heading == "pair" else "right")
    for exchange in exchanges:
        first, second = exchange["seats"]
        parts = [signed(exchange[part]) for part in ("row_points", "bonus", "foul", "royalties")]
        is_compared = fouls.isdisjoint(exchange["seats"])
        won = [WON[exchange["rows"][row]] if is_compared else NOT_COMPARED for row in ROWS]
        table.add_row(f"{names[first]} : {names[second]}", *won, *parts, Text(signed(exchange["points"]), style="bold"))
    return table


def payments(transfers: Iterable[Document], ruleset: Document, names: Names) -> Table:
    """Show payments in order, each with what a cap cut off and why."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "pays", "due", "paid", "cut off"):
        table.add_column(heading, header_style="dim", justify="right" if heading in ("due", "paid") else "left")
    for transfer in transfers:
        cut = transfer["due"] - transfer["paid"]
        table.add_row(
            f"{transfer['order']}.",
            f"{names[transfer['payer']]} → {names[transfer['payee']]}",
            str(transfer["due"]),
            Text(str(transfer["paid"]), style="bold"),
            Text(f"{cut}: {explain_cap(transfer, ruleset, names)}", style="yellow") if cut else "",
        )
    return table


def explain_cap(transfer: Document, ruleset: Document, names: Names) -> str:
    """
    Say in words why a payment was cut off.

    >>> names = Names([{"seat": 1, "player": "ann"}, {"seat": 2, "player": "bob"}])
    >>> transfer = {"payer": 2, "payee": 1, "due": 4, "paid": 3, "limited_by": "winner_room"}
    >>> explain_cap(transfer, {"stakes": {"scope": "hand", "win_limit": "stack"}}, names)
    'ann had 3 in front and can win no more than that'
    """
    payer, payee, paid = names[transfer["payer"]], names[transfer["payee"]], transfer["paid"]
    if transfer["limited_by"] == "payer_stack":
        return f"{payer} had {paid} left" if paid else f"{payer} had nothing left"
    if ruleset["stakes"]["win_limit"] == "stack":
        return f"{payee} had {paid} in front and can win no more than that"
    scope = {"hand": "hand", "fantasyland": "Fantasyland sequence", "round": "round"}[ruleset["stakes"]["scope"]]
    room = f"only {paid} more" if paid else "nothing more"
    return f"{payee} can win {room} in this {scope}: never more than what was opened with"


def stacks_line(stacks: Mapping[str, int], names: Names) -> Text:
    """Show what everyone has in front of him."""
    parts = [f"{names[seat]} {points}" for seat, points in stacks.items()]
    return Text("Stacks: ", style="dim").append(" · ".join(parts), style="not dim")


def what_comes_next(round_: Document, names: Names) -> Text:
    """Say what the round's next hand must be, or that it takes none."""
    following = round_["next"]
    if following is None:
        return Text(f"The round is {round_['status']} after {plural(round_['hands'], 'hand')}.")
    button = "any seat" if following["button"] is None else names[following["button"]]
    line = Text(
        f"Next: hand {following['number']}, button {button}, {', '.join(names[s] for s in following['seats'])} play"
    )
    for seat, cards in following["fantasyland"].items():
        line.append(f"; {names[seat]} in Fantasyland with {cards} cards", style="magenta")
    return line
