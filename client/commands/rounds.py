import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Final

import click

from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.commands.line import count_waiting, say_waiting, tell_sent, tell_waiting
from client.commands.sitting import SITTING, Sitting, seat_all
from client.entry.in_play import remember, send_waiting
from client.errors import TransportError, UnreadableError
from client.finding import find_round, find_seat, find_table
from client.outbox.store import Outbox
from client.render.cards import Names, plural
from client.render.console import make_console
from client.render.rounds import list_rounds, show_round
from client.render.settlement import show_settlement

_SECONDS_A_DAY: Final = 24 * 60 * 60
EXAMPLE_LINK: Final = "http://127.0.0.1:8000/v1/links/TOKEN"
_LINK: Final = re.compile(r"/v1/links/(?P<token>[^/?#]+)")
EXAMPLE_ID: Final = "01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"

round_argument = click.argument("round_", metavar="ROUND")


_ELSEWHERE: Final = {
    "close": ("leaving:close", "End the table's round early, for good."),
    "correct": ("corrections:correct", "Put right what was recorded of a round."),
    "explain": ("explain:explain_round", "Explain every hand of a round, point by point."),
    "evidence": ("verify:get_evidence", "Print all that proves a round, for `ofc verify` to check."),
    "leave": ("leaving:leave", "Record that a player left the table's round."),
    "what-if": ("corrections:what_if", "Show what a round would have come to otherwise."),
}


@click.group(
    name="round",
    cls=Group,
    elsewhere=_ELSEWHERE,
    examples=["ofc round open friday ann=200 ben=200", "ofc round show friday"],
)
def rounds() -> None:
    """Open rounds, and look at those that are recorded."""


@rounds.command(
    name="open",
    cls=Command,
    examples=[
        "ofc round open friday ann=200 ben=200 cyd=200",
        "ofc round open friday 1:ann=200 3:ben=200 --reference 2026-11-20/3",
    ],
)
@click.argument("table", metavar="TABLE")
@click.argument("sitting", nargs=-1, required=True, metavar="PLAYER[=STACK]...", type=SITTING)
@click.option("--reference", metavar="TEXT", help="Your own name for the round.")
@json_option
@pass_session
def open_(session: Session, table: str, sitting: tuple[Sitting, ...], reference: str | None, as_json: bool) -> None:
    """
    Open a round at a table.

    The players sit down in the order given, clockwise. A stack left out carries over from the player's last round at
    the table. Seats are counted from 1; 3:ann=200 sits ann down in seat 3. What waits for the table is sent first.
    """
    request = {"seats": seat_all(sitting), **({"reference": reference} if reference else {})}
    console = make_console(error=as_json)
    with session.client() as client, session.outbox(client) as outbox:
        found = find_table(client, table)
        with _going_first(outbox, found["name"]):
            send_waiting(client, outbox, found["name"], lambda sent: tell_sent(console, outbox, sent))
        opened = client.open_round(found["id"], request)
        with suppress(TransportError):
            remember(client, outbox, found["name"], opened)
    if as_json:
        print_json(opened)
    else:
        show_round(console, opened)


@contextmanager
def _going_first(outbox: Outbox, table: str) -> Iterator[None]:
    """Say of a service that does not answer that no round was opened, for what waits goes first."""
    try:
        yield
    except TransportError as error:
        waiting = plural(outbox.count_at(table), "request")
        raise TransportError(f"{waiting} for {table} must be sent first, and no round was opened: {error}") from error


@rounds.command(name="show", cls=Command, examples=["ofc round show friday", f"ofc round show {EXAMPLE_ID}"])
@round_argument
@json_option
@pass_session
def show(session: Session, round_: str, as_json: bool) -> None:
    """
    Show a round as it stands, and what the next hand must be.

    ROUND is its id or, for the newest one of a table, the table's name.
    """
    with session.client() as client:
        found = find_round(client, round_)
        tell_waiting(count_waiting(session, client, round_id=found["id"]), "round")
    if as_json:
        print_json(found)
    else:
        show_round(make_console(), found)


@rounds.command(
    name="list",
    cls=Command,
    examples=[
        "ofc round list --status open --table kitchen",
        "ofc round list --player ann --from 2026-11-01T00:00:00Z",
    ],
)
@click.option("--table", help="Only of this table, by its name or id.")
@click.option("--player", help="Only with this player.")
@click.option("--status", type=click.Choice(["open", "complete", "closed"]), help="Only in this state.")
@click.option(
    "--state",
    type=click.Choice(["open", "provisional", "disputed", "final"]),
    help="Only with settlements as firm as this.",
)
@click.option("--from", "opened_from", metavar="TIME", help="Opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Opened before this time.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(
    session: Session,
    table: str | None,
    player: str | None,
    status: str | None,
    state: str | None,
    opened_from: str | None,
    opened_before: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List rounds, the newest first."""
    wanted = {"player": player, "status": status, "state": state, "from": opened_from, "to": opened_before}
    with session.client() as client:
        table_id = None if table is None else find_table(client, table)["id"]
        found = list(islice(client.list_rounds(table=table_id, **wanted), limit))
    if as_json:
        print_json({"rounds": found})
    else:
        list_rounds(make_console(), found)


@rounds.command(
    name="settlement", cls=Command, examples=["ofc round settlement friday", f"ofc round settlement {EXAMPLE_ID}"]
)
@round_argument
@json_option
@pass_session
def settlement(session: Session, round_: str, as_json: bool) -> None:
    """
    Show who paid whom, what was cut off, and the standings.

    ROUND is its id or, for the newest one of a table, the table's name.
    """
    with session.client() as client:
        found = find_round(client, round_)
        settled = client.get_settlement(found["id"])
        tell_waiting(count_waiting(session, client, round_id=found["id"]), "round")
        if as_json:
            print_json(settled)
            return
        ruleset = client.get_ruleset(found["ruleset"])
    show_settlement(make_console(), settled, ruleset, Names(found["seats"]))


@rounds.command(name="confirm", cls=Command, examples=[f"ofc round confirm {EXAMPLE_ID} ann"])
@round_argument
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@json_option
@pass_session
def confirm(session: Session, round_: str, players: tuple[str, ...], as_json: bool) -> None:
    """
    Keep that players say the settlement is right.

    Once everyone of the round does, it is final. ROUND is its id or, for the newest one of a table, the table's name;
    PLAYER is the player's id, the seat, or both as in 2:ben.
    """
    with session.client() as client:
        found = find_round(client, round_)
        _refuse_before_what_waits(count_waiting(session, client, round_id=found["id"]))
        seats = [find_seat(found["seats"], player, "in the round") for player in players]
        seen = client.get_settlement(found["id"])
        for seat in seats:
            seen = client.confirm_settlement(found["id"], {"seat": seat, "revision": seen["revision"]})
        ruleset = client.get_ruleset(found["ruleset"])
    if as_json:
        print_json(seen)
    else:
        shown = len(seen["transfers"])
        show_settlement(make_console(), seen, ruleset, Names(found["seats"]), shown_before=shown)


def _refuse_before_what_waits(number: int) -> None:
    """
    Let nobody confirm a settlement that something is still to come to.

    Raises:
        UnreadableError: something waits for the round.
    """
    if number:
        raise UnreadableError(f"{say_waiting(number, 'round')}; a settlement is confirmed once nothing waits for it")


@rounds.command(name="document", cls=Command, examples=[f"ofc round document {EXAMPLE_ID} > round.json"])
@round_argument
@pass_session
def document(session: Session, round_: str) -> None:
    """
    Print a round as one document: what happened, and no result.

    ROUND is its id or, for the newest one of a table, the table's name.
    """
    with session.client() as client:
        print_json(client.get_document(find_round(client, round_)["id"]))


@rounds.command(name="link", cls=Command, examples=["ofc round link friday", "ofc round link friday --days 1"])
@round_argument
@click.option("--days", type=click.IntRange(1, 366), default=7, show_default=True, help="How long it works.")
@json_option
@pass_session
def link(session: Session, round_: str, days: int, as_json: bool) -> None:
    """
    Make an address that shows a round to its players.

    Whoever has it can read the round, its settlement and every point explained, in a browser and without a key. ROUND
    is its id or, for the newest one of a table, the table's name.
    """
    with session.client() as client:
        issued = client.issue_link(find_round(client, round_)["id"], days * _SECONDS_A_DAY)
        address = f"{client.server}{issued['url']}"
    if as_json:
        print_json({**issued, "url": address})
        return
    click.echo(address)


@rounds.command(name="revoke-link", cls=Command, examples=[f"ofc round revoke-link {EXAMPLE_LINK}"])
@click.argument("address", metavar="ADDRESS")
@pass_session
def revoke_link(session: Session, address: str) -> None:
    """
    Let an address that shows a round open nothing any more.

    ADDRESS is as `ofc round link` printed it, or as somebody opened it. Other addresses of the round go on working.
    """
    found = _LINK.search(address)
    if found is None:
        raise UnreadableError(f"{address!r} is no address of a link; one with /v1/links/ in it is right")
    with session.client() as client:
        client.revoke_link(found["token"])
    make_console().print("it opens nothing any more")
