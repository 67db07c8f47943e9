"""Hands: boards, pairs, payments with what a cap cut off, and the list of a round's hands."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from client.render.console import NARROW, make_grid, show_grid, show_metadata
from client.render.format import ROWS, Names, join, plural, show_cards, signed
from client.render.problems import after_place

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
_ROW_WIDTH: Final = max(map(len, ROWS))
_SCOPES: Final = {"hand": "hand", "fantasyland": "Fantasyland sequence", "round": "round"}


def explain_hand(
    console: Console, hand: Document, result: Document, ruleset: Document, names: Names, note: str = ""
) -> None:
    """
    Print every board, every pair and every payment of a hand.

    Args:
        console: the output.
        hand: as it was played: its cards.
        result: of the hand, from the service or from the offline rules.
        ruleset: the ruleset with the caps.
        names: of the players.
        note: a note about a hand of a round.
    """
    console.print(_heading(hand, result, names, note))
    console.print()
    for top_up in hand.get("top_ups") or ():
        console.print(f"{names[top_up['seat']]} adds {plural(top_up['points'], 'point')}.")
    console.print(Text("Boards", style="bold"))
    played = {player["seat"]: player for player in hand["players"]}
    for player in result["players"]:
        for part in _board(played[player["seat"]], player, names, is_narrow=console.width < NARROW):
            console.print(Padding(part, (0, 0, 0, 2), expand=False))
    console.print()
    show_grid(console, "Head-to-head (points for the first player)", _pairs(console, result, names))
    console.print()
    _explain_chips(console, result, ruleset, names)
    if result.get("irregular"):
        show_irregular(console, result["number"], result["irregular"])


def _heading(hand: Document, result: Document, names: Names, note: str) -> Text:
    name = f"\nHand {result['number']}" if "number" in result else result["ruleset"]
    heading = Text(name, style="bold")
    if hand.get("button"):
        heading.append(f" · button {names[hand['button']]}")
    return heading.append(f" · {note}" if note else "", style="not bold dim")


def _board(
    board: Document, scored: Document, names: Names, *, is_narrow: bool
) -> tuple[RenderableType, RenderableType]:
    line = Text(names[scored["seat"]], style="bold")
    line.append(f"  {signed(scored['points'])} {'point' if abs(scored['points']) == 1 else 'points'}", style="not bold")
    if scored["royalties"]:
        line.append(f", royalties {scored['royalties']}", style="not bold")
    for note, style in _notes(board, scored):
        line.append(", ", style="not bold").append(note, style=f"not bold {style}")
    shown = _narrow_rows(board, scored) if is_narrow else _wide_rows(board, scored)
    return line, Padding(shown, (0, 0, 0, 2), expand=False)


def _wide_rows(board: Document, scored: Document) -> RenderableType:
    """Render every row on one line: its cards, and its description."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    for width in (_ROW_WIDTH, _CARDS_WIDTH, None):
        rows.add_column(min_width=width, no_wrap=width is not None)
    for row in ROWS:
        rows.add_row(Text(row, style="dim"), show_cards(board[row]), _description(scored["rows"][row]))
    return rows


def _narrow_rows(board: Document, scored: Document) -> RenderableType:
    """Render the description of a row below its cards."""
    lines: list[Text] = []
    for row in ROWS:
        lines.append(Text(f"{row:{_ROW_WIDTH}}  ", style="dim").append_text(show_cards(board[row])))
        lines.append(Text("  ", overflow="fold").append_text(_description(scored["rows"][row])))
    return Group(*lines)


def _description(row: Document) -> Text:
    description = Text(row["description"], style="dim")
    return description.append(f" +{row['royalty']}", style="not dim green") if row["royalty"] else description


def _notes(board: Document, scored: Document) -> Iterable[tuple[str, str]]:
    """Yield notes with their styles: foul, Fantasyland, cards set by the clock."""
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


def _pairs(console: Console, result: Document, names: Names) -> Table:
    fouls = {player["seat"] for player in result["players"] if player["foul"]}
    numbers = (*ROWS, "rows", "bonus", "foul", "royalties", "points")
    pairs = make_grid(console, "pair", *numbers, numbers=numbers)
    for exchange in result["exchanges"]:
        first, second = exchange["seats"]
        is_compared = fouls.isdisjoint(exchange["seats"])
        won = [WON[exchange["rows"][row]] if is_compared else NOT_COMPARED for row in ROWS]
        parts = [signed(exchange[part]) for part in ("row_points", "bonus", "foul", "royalties")]
        pairs.add_row(f"{names[first]} : {names[second]}", *won, *parts, Text(signed(exchange["points"]), style="bold"))
    return pairs


def _explain_chips(console: Console, result: Document, ruleset: Document, names: Names) -> None:
    """Print payments and stacks, or why nothing is paid."""
    scope_is_round = ruleset["stakes"]["scope"] == "round"
    if result["transfers"] is None:
        console.print(Text("With a stack for every player and the button, payments are shown too.", style="dim"))
        return
    if result["transfers"]:
        of_round = ", for the whole round" if "number" in result else ", as if the round ended here"
        title = "Payments" + (of_round if scope_is_round else "")
        show_payments(console, title, result["transfers"], ruleset, names)
    elif scope_is_round:
        console.print(Text("Nothing is paid before the round ends.", style="dim"))
    else:
        console.print(Text("No payments.", style="dim"))
    stacks = [f"{names[seat]}: {points}" for seat, points in result["stacks"].items()]
    console.print(Text("Stacks  ", style="dim").append(" · ".join(stacks), style="not dim"))


def explain_next(console: Console, round_: Document, names: Names) -> None:
    """Print what the next hand of the round must be, or that there is none."""
    upcoming = round_["next"]
    if upcoming is None:
        console.print(f"The round is {round_['status']} after {plural(round_['hands'], 'hand')}.")
        return
    button = "with any seat" if upcoming["button"] is None else names[upcoming["button"]]
    line = Text(f"Next: hand {upcoming['number']}, button {button}; ")
    line.append(f"{join(names[seat] for seat in upcoming['seats'])} play")
    fantasyland = [f"{names[seat]} with {cards} cards" for seat, cards in upcoming["fantasyland"].items()]
    if fantasyland:
        line.append(f"; in Fantasyland {join(fantasyland)}", style="magenta")
    console.print(line)


def show_payments(console: Console, title: str, transfers: Iterable[Document], ruleset: Document, names: Names) -> None:
    """Print payments in order, each with what a cap cut off and why."""
    numbers = ("due", "paid", "cut off")
    grid = make_grid(console, "pays", *numbers, "", numbers=numbers)
    for transfer in transfers:
        cut = transfer["due"] - transfer["paid"]
        grid.add_row(
            f"{transfer['order']}. {names[transfer['payer']]} → {names[transfer['payee']]}",
            str(transfer["due"]),
            Text(str(transfer["paid"]), style="bold"),
            Text(str(cut), style="yellow") if cut else "",
            Text(explain_cap(transfer, ruleset, names), style="yellow") if cut else "",
        )
    show_grid(console, title, grid)


def explain_cap(transfer: Document, ruleset: Document, names: Names) -> str:
    """
    Return in words why a payment was cut off.

    >>> names = Names([{"seat": 1, "player": "ann"}, {"seat": 2, "player": "bob"}])
    >>> transfer = {"payer": 2, "payee": 1, "due": 4, "paid": 3, "limited_by": "winner_room"}
    >>> explain_cap(transfer, {"stakes": {"scope": "hand", "win_limit": "stack"}}, names)
    'ann had a stack of 3 and can win at most 3'
    >>> explain_cap(transfer, {"stakes": {"scope": "round", "win_limit": "opening"}}, names)
    'ann could win at most 3 more: no player wins more in a round than they opened it with'
    """
    payer, payee, paid = names[transfer["payer"]], names[transfer["payee"]], transfer["paid"]
    stakes = ruleset["stakes"]
    if transfer["limited_by"] == "payer_stack":
        return f"{payer} had only {paid} left" if paid else f"{payer} had nothing left"
    if stakes["win_limit"] == "stack":
        return f"{payee} had a stack of {paid} and can win {f'at most {paid}' if paid else 'nothing'}"
    room = f"{payee} could win {f'at most {paid} more' if paid else 'no more'}"
    return f"{room}: no player wins more in a {_SCOPES[stakes['scope']]} than they opened it with"


def show_irregular(console: Console, number: int, reasons: Iterable[Document]) -> None:
    """Print that a hand is accepted as played, and why it is irregular."""
    why = "; ".join(after_place(reason["detail"]) for reason in reasons)
    text = f"Hand {number} is irregular and accepted as played"
    console.print(Text(f"{text}: {why}." if why else f"{text}.", style="yellow"))


def list_hands(console: Console, hands: Sequence[Document], names: Names) -> None:
    """List hands, each with its id, its button and what each player won."""
    for hand in hands:
        line = Text(f"Hand {hand['number']}", style="bold")
        line.append(f" · button {names[hand['button']]}  ", style="not bold")
        console.print(line.append(hand["id"], style="not bold dim"))
        players = sorted(hand["players"], key=lambda player: int(player["seat"]))
        points = [f"{names[player['seat']]} {signed(player['points'])}" for player in players]
        console.print(Text(f"  {' · '.join(points)}", style="dim"))
    if not hands:
        console.print("No hands.")


def show_hand_summary(console: Console, hand: Document) -> None:
    """Print a hand of any round: when it was played, its round and its id, and what each player won."""
    when = (hand["played_at"] or hand["recorded_at"])[:16].replace("T", " ")
    line = Text(f"{when}  hand {hand['number']} of round {hand['round']}  ", style="bold")
    line.append(hand["id"], style="not bold dim")
    console.print(line.append(f" · {hand['reference']}" if hand["reference"] else ""), soft_wrap=True)
    players = sorted(hand["players"], key=lambda player: int(player["seat"]))
    fouls = {True: ", foul", False: ""}
    points = [f"{player['player']} {signed(player['points'])}{fouls[player['foul']]}" for player in players]
    console.print(Text(f"  {' · '.join(points)}", style="dim"))


def show_hand(console: Console, hand: Document) -> None:
    """Print a hand of any round as in a list, with its metadata."""
    show_hand_summary(console, {**hand, "round": hand["round"]["id"]})
    show_metadata(console, hand)
