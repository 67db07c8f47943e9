"""Disputes: what somebody holds against a settlement, looked into and resolved."""

from itertools import chain, islice
from typing import Any, Final
from uuid import UUID

import click
from rich.console import Console

from client.api import Client
from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.commands.corrections import amendment_options, read_amendment
from client.commands.rounds import EXAMPLE_ID as EXAMPLE_ROUND
from client.commands.rounds import round_argument
from client.entry.asking import confirm, make_asker
from client.errors import UnreadableError
from client.finding import find_round, find_table
from client.render.cards import Names
from client.render.comparison import show_comparison
from client.render.console import make_console
from client.render.disputes import list_disputes, show_claim, show_dispute, show_recorded

Document = dict[str, Any]

EXAMPLE_ID: Final = "01a1fbd0-5c1e-7d3a-9b52-6f0e4a8c2d17"
_UNENDED: Final = ("under_review", "open")
_NOTHING: Final = "Nothing was changed."

id_argument = click.argument("dispute_id", metavar="ID", type=click.UUID)
by_option = click.option("--by", required=True, metavar="PLAYER", help="Who says so, by the id that you have for him.")
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")


@click.group(name="dispute", cls=Group, examples=["ofc dispute list", f"ofc dispute show {EXAMPLE_ID}"])
def disputes() -> None:
    """Hold something against a settlement, look into it, resolve it."""


@disputes.command(
    name="open",
    cls=Command,
    examples=[f"ofc dispute open {EXAMPLE_ROUND} --hand 1 --claim 'no queen' --by ben --yes"],
)
@round_argument
@click.option("--hand", type=click.IntRange(1), metavar="NUMBER", help="The hand that it is about.")
@click.option("--seat", type=click.IntRange(1), metavar="NUMBER", help="The seat that it is about.")
@click.option("--row", type=click.Choice(["top", "middle", "bottom"]), help="The row of the hand.")
@click.option("--claim", required=True, metavar="TEXT", help="What is claimed; it is kept for good.")
@by_option
@yes_option
@json_option
@pass_session
def open_(
    session: Session,
    round_: str,
    hand: int | None,
    seat: int | None,
    row: str | None,
    claim: str,
    by: str,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Hold something against the settlement of a round.

    ROUND is its id or, for the newest one of a table, the table's name. What is recorded there is shown before
    anything is stored.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        found = find_round(client, round_)
        places = {"hand": hand, "seat": seat, "row": row}
        where = {name: value for name, value in places.items() if value is not None}
        claimed = {"round": found["id"], **where, "claim": claim, "by": by}
        show_claim(console, claimed)
        _show_recorded(console, client, found, where)
        if not _agreed(console, "Open the dispute?", yes=yes):
            return
        answer = client.open_dispute(claimed)
    _told(console, answer, "Opened", as_json=as_json)


@disputes.command(
    name="list", cls=Command, examples=["ofc dispute list", "ofc dispute list --state upheld --table kitchen"]
)
@click.option(
    "--state",
    type=click.Choice(["open", "under_review", "upheld", "rejected", "withdrawn"]),
    help="Only in this state.",
)
@click.option("--table", help="Only of this table, by its name or id.")
@click.option("--round", "round_id", type=click.UUID, metavar="ID", help="Only of this round.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(
    session: Session, state: str | None, table: str | None, round_id: UUID | None, limit: int, as_json: bool
) -> None:
    """
    List disputes, the oldest first.

    Without --state those that have not ended: under review, and then those that nobody has taken up.
    """
    with session.client() as client:
        wanted = {
            "table": None if table is None else find_table(client, table)["id"],
            "round": None if round_id is None else str(round_id),
        }
        states = _UNENDED if state is None else (state,)
        every = chain.from_iterable(client.list_disputes(state=each, **wanted) for each in states)
        found = list(islice(every, limit))
    if as_json:
        print_json({"disputes": found})
    else:
        list_disputes(make_console(), found)


@disputes.command(name="show", cls=Command, examples=[f"ofc dispute show {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def show(session: Session, dispute_id: UUID, as_json: bool) -> None:
    """
    Show a dispute and all that followed it.

    And what is recorded where it is about, and what is unusual about its round, by formulas that are stated.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        found = client.get_dispute(str(dispute_id))
        if as_json:
            print_json(found)
            return
        _show(console, client, found)


@disputes.command(cls=Command, examples=[f"ofc dispute comment {EXAMPLE_ID} 'the camera was on' --by cyd"])
@id_argument
@click.argument("comment", metavar="TEXT")
@by_option
@json_option
@pass_session
def comment(session: Session, dispute_id: UUID, comment: str, by: str, as_json: bool) -> None:
    """Say something about a dispute; it is kept for good."""
    with session.client() as client:
        answer = client.comment_on_dispute(str(dispute_id), {"comment": comment, "by": by})
    _told(make_console(error=as_json), answer, "Said", as_json=as_json)


@disputes.command(cls=Command, examples=[f"ofc dispute review {EXAMPLE_ID} --by tom"])
@id_argument
@by_option
@json_option
@pass_session
def review(session: Session, dispute_id: UUID, by: str, as_json: bool) -> None:
    """Look into an open dispute from now on."""
    with session.client() as client:
        found = client.get_dispute(str(dispute_id))
        answer = client.review_dispute(str(dispute_id), {"version": found["version"], "by": by})
    _told(make_console(error=as_json), answer, "Under review", as_json=as_json)


@disputes.command(
    cls=Command,
    examples=[
        f"ofc dispute resolve {EXAMPLE_ID} rejected --by tom --reason seen --yes",
        f"ofc dispute resolve {EXAMPLE_ID} upheld --by tom --reason paid --yes",
    ],
)
@id_argument
@click.argument("state", metavar="upheld|rejected", type=click.Choice(["upheld", "rejected"]))
@by_option
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept for good.")
@amendment_options
@yes_option
@json_option
@pass_session
def resolve(
    session: Session,
    dispute_id: UUID,
    state: str,
    by: str,
    reason: str,
    patch: str | None,
    document: str | None,
    edit: bool,
    irregular: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Uphold or reject a dispute that is under review.

    With a correction the round is corrected too, to answer the dispute; what changes is shown, old beside new, before
    anything is stored.
    """
    corrects = [patch is not None, document is not None, edit].count(True)
    if corrects > 1 or (corrects and state != "upheld"):
        raise click.UsageError("Give one of --patch FILE, --document FILE and --edit, and only with upheld.")
    console = make_console(error=as_json)
    with session.client() as client:
        found = client.get_dispute(str(dispute_id))
        resolution = {"version": found["version"], "state": state, "by": by, "reason": reason}
        # Whoever cannot resolve it corrects nothing either.
        client.try_resolution(str(dispute_id), resolution)
        _show(console, client, found)
        correction: Document | None = None
        if corrects:
            amended = read_amendment(client, found["round"], patch=patch, document=document)
            if amended is None:
                console.print(_NOTHING)
                return
            version = client.get_round(found["round"])["version"]
            correction = {"reason": reason, "version": version, "dispute": str(dispute_id), **amended}
            correction |= {"irregular": irregular} if irregular else {}
            _show_changes(console, client, found["round"], correction)
        verb = "Uphold" if state == "upheld" else "Reject"
        if not _agreed(console, "Correct the round and uphold it?" if correction else f"{verb} it?", yes=yes):
            return
        if correction:
            client.correct_round(found["round"], correction)
        answer = client.resolve_dispute(str(dispute_id), resolution)
    _told(console, answer, state.capitalize(), as_json=as_json)


@disputes.command(cls=Command, examples=[f"ofc dispute withdraw {EXAMPLE_ID} --by ben --yes"])
@id_argument
@by_option
@click.option("--reason", metavar="TEXT", help="Why; it is kept for good.")
@yes_option
@json_option
@pass_session
def withdraw(session: Session, dispute_id: UUID, by: str, reason: str | None, yes: bool, as_json: bool) -> None:
    """Give a dispute up that has not ended."""
    console = make_console(error=as_json)
    with session.client() as client:
        found = client.get_dispute(str(dispute_id))
        _show(console, client, found)
        if not _agreed(console, "Withdraw it?", yes=yes):
            return
        withdrawal = {"version": found["version"], "by": by, **({"reason": reason} if reason else {})}
        answer = client.withdraw_dispute(str(dispute_id), withdrawal)
    _told(console, answer, "Withdrawn", as_json=as_json)


def _show(console: Console, client: Client, found: Document) -> None:
    show_dispute(console, found)
    _show_recorded(console, client, client.get_round(found["round"]), found)


def _show_recorded(console: Console, client: Client, round_: Document, where: Document) -> None:
    """Show what is recorded, as it stands, of the hand that a claim is about; of a seat's hand, its cards."""
    number = where.get("hand")
    hands = client.get_document(round_["id"])["hands"] if number else []
    if number and number <= len(hands):
        show_recorded(console, hands[number - 1], Names(round_["seats"]), where.get("seat"), where.get("row"))


def _show_changes(console: Console, client: Client, round_id: str, correction: Document) -> None:
    """Show what a correction changes; one that changes nothing would answer no dispute."""
    before = client.get_settlement(round_id)["revision"]
    comparison = client.try_correction(round_id, correction)
    if comparison["revision"] == before:
        raise UnreadableError("the correction changes nothing; leave it out where none is needed, or was made before")
    console.print()
    show_comparison(console, comparison)
    console.print()


def _agreed(console: Console, question: str, *, yes: bool) -> bool:
    if yes or confirm(make_asker(), question):
        return True
    console.print(_NOTHING)
    return False


def _told(console: Console, answer: Document, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    else:
        console.print(f"{what}: dispute {answer['id']}.", highlight=False)
