"""Commands for disputes: open, list, show, comment on, review, resolve and withdraw."""

from collections.abc import Mapping
from itertools import chain, islice
from typing import Any, Final

import click
from rich.console import Console

from client.api import Client
from client.commands.amendments import SOURCES, Amendment, amendment_options
from client.commands.base import (
    Command,
    Group,
    Session,
    json_option,
    limit_option,
    pass_session,
    print_json,
    yes_option,
)
from client.commands.corrections import warn_of_names
from client.commands.names import complete_disputes, complete_players, complete_rounds, table_option
from client.commands.rounds import EXAMPLE_ID as EXAMPLE_ROUND
from client.commands.rounds import round_argument
from client.entry.prompt import confirm, make_asker
from client.errors import UnreadableError
from client.lookup import find_id, find_round, find_table
from client.proposing import Corrected, correct_or_propose
from client.render.console import make_console
from client.render.disputes import list_disputes, show_claim, show_dispute, show_recorded
from client.render.format import Names
from client.render.proposals import show_proposed
from client.render.settlement import show_comparison

Document = dict[str, Any]

EXAMPLE_ID: Final = "01a1fbd0-5c1e-7d3a-9b52-6f0e4a8c2d17"
_NOT_ENDED: Final = ("under_review", "open")
_NOTHING: Final = "Nothing was changed."

id_argument = click.argument("dispute_id", metavar="ID", shell_complete=complete_disputes)
by_option = click.option(
    "--by",
    required=True,
    metavar="PLAYER",
    help="Who does this, by the id that you use for them.",
    shell_complete=complete_players,
)


@click.group(name="dispute", cls=Group, examples=["ofc dispute list", f"ofc dispute show {EXAMPLE_ID}"])
def disputes() -> None:
    """Open, review and resolve disputes of settlements."""


@disputes.command(
    name="open",
    cls=Command,
    examples=[f"ofc dispute open {EXAMPLE_ROUND} --hand 1 --claim 'no queen' --by bob --yes"],
)
@round_argument
@click.option("--hand", type=click.IntRange(1), metavar="NUMBER", help="The hand that the dispute is about.")
@click.option("--seat", type=click.IntRange(1), metavar="NUMBER", help="The seat that the dispute is about.")
@click.option("--row", type=click.Choice(["top", "middle", "bottom"]), help="The row of the hand.")
@click.option("--claim", required=True, metavar="TEXT", help="The claim.")
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
    Dispute the settlement of a round.

    ROUND is its id or, for the newest round of a table, the table's name. The recorded cards are shown before anything
    is stored.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        record = find_round(client, round_)
        places = {"hand": hand, "seat": seat, "row": row}
        where = {name: value for name, value in places.items() if value is not None}
        claimed: Any = {"round": record["id"], **where, "claim": claim, "by": by}
        show_claim(console, claimed)
        _show_recorded(console, client, record, where)
        if not _confirm(console, "Open the dispute?", yes=yes):
            return
        response = client.open_dispute(claimed)
    _print_done(console, response, "Opened", as_json=as_json)


@disputes.command(
    name="list", cls=Command, examples=["ofc dispute list", "ofc dispute list --state upheld --table kitchen"]
)
@click.option(
    "--state",
    type=click.Choice(["open", "under_review", "upheld", "rejected", "withdrawn"]),
    help="List only items in this state.",
)
@table_option
@click.option("--round", "round_", metavar="ROUND", help="Only of this round.", shell_complete=complete_rounds)
@limit_option
@json_option
@pass_session
def list_(session: Session, state: Any, table: str | None, round_: str | None, limit: int, as_json: bool) -> None:
    """
    List disputes, oldest first.

    Without --state, disputes under review are listed first, and then open ones.
    """
    with session.client() as client:
        query = {
            "table": None if table is None else find_table(client, table)["id"],
            "round": None if round_ is None else find_round(client, round_)["id"],
        }
        states: tuple[Any, ...] = _NOT_ENDED if state is None else (state,)
        every = chain.from_iterable(client.list_disputes(state=each, **query) for each in states)
        records = list(islice(every, limit))
    if as_json:
        print_json({"disputes": records})
    else:
        list_disputes(make_console(), records)


@disputes.command(name="show", cls=Command, examples=[f"ofc dispute show {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def show(session: Session, dispute_id: str, as_json: bool) -> None:
    """
    Show a dispute and its history.

    Also shown: the recorded cards that it is about, and what is unusual about its round, with the formula.
    """
    console = make_console(error=as_json)
    with session.client() as client:
        dispute_id = find_id(client, "dispute", dispute_id)
        dispute = client.get_dispute(dispute_id)
        if as_json:
            print_json(dispute)
            return
        _show(console, client, dispute)


@disputes.command(cls=Command, examples=[f"ofc dispute comment {EXAMPLE_ID} 'the camera was on' --by cyd"])
@id_argument
@click.argument("comment", metavar="TEXT")
@by_option
@json_option
@pass_session
def comment(session: Session, dispute_id: str, comment: str, by: str, as_json: bool) -> None:
    """Add a comment to a dispute."""
    with session.client() as client:
        dispute_id = find_id(client, "dispute", dispute_id)
        response = client.comment_on_dispute(dispute_id, {"comment": comment, "by": by})
    _print_done(make_console(error=as_json), response, "Comment added", as_json=as_json)


@disputes.command(cls=Command, examples=[f"ofc dispute review {EXAMPLE_ID} --by first"])
@id_argument
@by_option
@json_option
@pass_session
def review(session: Session, dispute_id: str, by: str, as_json: bool) -> None:
    """Start the review of an open dispute."""
    with session.client() as client:
        dispute_id = find_id(client, "dispute", dispute_id)
        dispute = client.get_dispute(dispute_id)
        response = client.review_dispute(dispute_id, {"version": dispute["version"], "by": by})
    _print_done(make_console(error=as_json), response, "Under review", as_json=as_json)


@disputes.command(
    cls=Command,
    examples=[
        f"ofc dispute resolve {EXAMPLE_ID} rejected --by first --reason seen --yes",
        f"ofc dispute resolve {EXAMPLE_ID} upheld --by first --reason paid --yes",
    ],
)
@id_argument
@click.argument("state", metavar="upheld|rejected", type=click.Choice(["upheld", "rejected"]))
@by_option
@click.option("--reason", required=True, metavar="TEXT", help="The reason.")
@amendment_options
@yes_option
@json_option
@pass_session
def resolve(
    session: Session,
    dispute_id: str,
    state: str,
    by: str,
    reason: str,
    amendment: Amendment,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Uphold or reject a dispute that is under review.

    With a correction the round is corrected too. What changes is shown, old beside new, before anything is stored. If
    the settlement was final, a club can require a second auditor. Both are then proposed, and another key confirms them
    with `ofc proposal confirm`.
    """
    if amendment.sources > 1 or (amendment.sources and state != "upheld"):
        raise click.UsageError(f"Give one of {SOURCES}, and only with upheld.")
    console = make_console(error=as_json)
    with session.client() as client:
        dispute_id = find_id(client, "dispute", dispute_id)
        dispute = client.get_dispute(dispute_id)
        resolution: Any = {"version": dispute["version"], "state": state, "by": by, "reason": reason}
        # Check the resolution first: without it, nothing is corrected either.
        client.resolve_dispute(dispute_id, resolution, dry_run=True)
        _show(console, client, dispute)
        correction: Any = None
        if amendment.sources:
            round_ = client.get_round(dispute["round"])
            amended = amendment.read(client, round_)
            if amended is None:
                console.print(_NOTHING)
                return
            correction = {"reason": reason, "version": round_["version"], "dispute": dispute_id, **amended}
            tried = _try_correction(console, client, round_, correction)
            verb = (
                "Correct the round and uphold" if tried.proposal is None else "Propose to correct the round and uphold"
            )
        else:
            verb = "Uphold" if state == "upheld" else "Reject"
        if not _confirm(console, f"{verb} it?", yes=yes):
            return
        if correction:
            upholds = {name: resolution[name] for name in ("version", "by", "reason")}
            proposal = correct_or_propose(client, dispute["round"], correction, upholds=upholds).proposal
            if proposal is not None:
                _print_proposed(console, proposal, as_json=as_json)
                return
        response = client.resolve_dispute(dispute_id, resolution)
    _print_done(console, response, state.capitalize(), as_json=as_json)


@disputes.command(cls=Command, examples=[f"ofc dispute withdraw {EXAMPLE_ID} --by bob --yes"])
@id_argument
@by_option
@click.option("--reason", metavar="TEXT", help="The reason.")
@yes_option
@json_option
@pass_session
def withdraw(session: Session, dispute_id: str, by: str, reason: str | None, yes: bool, as_json: bool) -> None:
    """Withdraw a dispute that is open or under review."""
    console = make_console(error=as_json)
    with session.client() as client:
        dispute_id = find_id(client, "dispute", dispute_id)
        dispute = client.get_dispute(dispute_id)
        _show(console, client, dispute)
        if not _confirm(console, "Withdraw it?", yes=yes):
            return
        withdrawal: Any = {"version": dispute["version"], "by": by, **({"reason": reason} if reason else {})}
        response = client.withdraw_dispute(dispute_id, withdrawal)
    _print_done(console, response, "Withdrawn", as_json=as_json)


def _show(console: Console, client: Client, dispute: Document) -> None:
    show_dispute(console, dispute)
    _show_recorded(console, client, client.get_round(dispute["round"]), dispute)


def _show_recorded(console: Console, client: Client, round_: Document, where: Document) -> None:
    """Show the recorded hand that a claim is about: all seats, or the seat and row that it names."""
    number = where.get("hand")
    hands = client.get_document(round_["id"])["hands"] if number else []
    if number and number <= len(hands):
        show_recorded(console, hands[number - 1], Names(round_["seats"]), where.get("seat"), where.get("row"))


def _try_correction(console: Console, client: Client, round_: Document, correction: Any) -> Corrected:
    """Show what a correction changes, and reject one that changes nothing."""
    before = client.get_settlement(round_["id"])["revision"]
    tried = correct_or_propose(client, round_["id"], correction, dry_run=True)
    comparison = tried.comparison
    if not comparison["changed"] or comparison["revision"] == before:
        raise UnreadableError("the correction changes nothing; omit it if none is needed, or was made before")
    console.print()
    show_comparison(console, comparison)
    console.print()
    warn_of_names(client, round_, comparison)
    return tried


def _print_proposed(console: Console, proposal: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(proposal)
    else:
        show_proposed(console, proposal)


def _confirm(console: Console, question: str, *, yes: bool) -> bool:
    if yes or confirm(make_asker(), question):
        return True
    console.print(_NOTHING)
    return False


def _print_done(console: Console, response: Document, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json(response)
    else:
        console.print(f"{what}: dispute {response['id']}.", highlight=False)
