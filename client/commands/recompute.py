import sys
import time
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import click

from client.answers import Document
from client.api import Client
from client.commands.common import REFUSED, Command, Group, Session, json_option, pass_session, print_json, tell_waiting
from client.finding import find_table
from client.render.console import make_console
from client.render.progress import watch
from client.render.recomputations import show_difference, show_recomputation
from client.transfers import patiently

EXAMPLE_ID: Final = "01a1fb5b-de71-72b0-b398-2e268dab7c37"
_ENDED: Final = ("succeeded", "failed", "cancelled")
_LOOKED_AT_EVERY: Final = 0.5
_SHOWN: Final = 20
"""Differences that are shown to people; scripts get all of them."""

id_argument = click.argument("job", metavar="ID", type=click.UUID)


@click.group(
    name="recompute",
    cls=Group,
    examples=["ofc recompute start --reason 'yearly audit' --watch", f"ofc recompute differences {EXAMPLE_ID}"],
)
def recompute() -> None:
    """Play stored rounds again, and see what was stored otherwise."""


@recompute.command(
    cls=Command,
    examples=[
        "ofc recompute start --reason 'yearly audit' --from 2026-01-01T00:00:00Z --watch",
        "ofc recompute start --reason 'what if' --table kitchen --by progressive",
        "ofc recompute start --reason 'the wrong rules' --ruleset deuce-to-seven --by turbo --apply",
    ],
)
@click.option("--reason", required=True, metavar="TEXT", help="Why; new settlements say it too.")
@click.option("--table", help="Only rounds of this table, by its name or id.")
@click.option(
    "--round", "rounds", multiple=True, type=click.UUID, metavar="ID", help="Only this round; again for more."
)
@click.option("--ruleset", help="Only rounds under this ruleset.")
@click.option("--from", "opened_from", metavar="TIME", help="Opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Opened before this time.")
@click.option("--by", "other", metavar="RULESET", help="Play by this ruleset: who would have won what?")
@click.option("--apply", "applies", is_flag=True, help="Settle the rounds that differ anew.")
@click.option("--final", "takes_final", is_flag=True, help="With --apply: those too that have been final.")
@click.option("--watch", "is_watched", is_flag=True, help="Wait until it is done, and show how far it is.")
@json_option
@pass_session
def start(
    session: Session,
    reason: str,
    table: str | None,
    rounds: tuple[Any, ...],
    ruleset: str | None,
    opened_from: str | None,
    opened_before: str | None,
    other: str | None,
    *,
    applies: bool,
    takes_final: bool,
    is_watched: bool,
    as_json: bool,
) -> None:
    """
    Ask for stored rounds to be played again.

    They are all of the club's, or those that the options name. Nothing is changed unless --apply is given, and no
    settlement that has been final unless --final is given too.
    """
    if takes_final and not applies:
        raise click.UsageError("--final says what --apply may change; --apply is missing")
    with session.client() as client:
        scope = {
            "table": None if table is None else find_table(client, table)["id"],
            "rounds": [str(round_id) for round_id in rounds] or None,
            "ruleset": ruleset,
            "from": opened_from,
            "to": opened_before,
        }
        asked: Document = {"mode": "apply" if applies else "audit", "reason": reason}
        asked |= ({"ruleset": other} if other else {}) | ({"final": True} if takes_final else {})
        given = {name: value for name, value in scope.items() if value is not None}
        job = client.start_recomputation({"scope": given, **asked})
        _show(_watch(client, job["id"]) if is_watched else job, as_json=as_json)


@recompute.command(cls=Command, examples=[f"ofc recompute status {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def status(session: Session, job: Any, *, as_json: bool) -> None:
    """Show how far a recomputation is, and what it came to so far."""
    with session.client() as client:
        _show(client.get_recomputation(str(job)), as_json=as_json)


@recompute.command(name="watch", cls=Command, examples=[f"ofc recompute watch {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def watch_(session: Session, job: Any, *, as_json: bool) -> None:
    """
    Wait until a recomputation is done.

    How far it is is shown meanwhile. Ctrl-C stops looking, and nothing else.
    """
    with session.client() as client:
        _show(_watch(client, str(job)), as_json=as_json)


@recompute.command(
    cls=Command,
    examples=[
        f"ofc recompute differences {EXAMPLE_ID}",
        f"ofc recompute differences {EXAMPLE_ID} --json > found.ndjson",
    ],
)
@id_argument
@json_option
@pass_session
def differences(session: Session, job: Any, *, as_json: bool) -> None:
    """
    List what a recomputation has found so far.

    --json prints a line for each, and all of them.
    """
    with session.client() as client:
        found = client.list_differences(str(job))
        if as_json:
            for each in found:
                print_json(each, indent=None)
            return
        console, shown = make_console(), list(islice(found, _SHOWN))
        for each in shown:
            show_difference(console, each)
        if not shown:
            console.print("no differences")
        elif next(found, None) is not None:
            console.print("and more; --json prints all of them")


@recompute.command(cls=Command, examples=[f"ofc recompute cancel {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def cancel(session: Session, job: Any, *, as_json: bool) -> None:
    """Stop a recomputation; what was found and applied stays."""
    with session.client() as client:
        _show(client.cancel_recomputation(str(job)), as_json=as_json)


@recompute.command(cls=Command, examples=[f"ofc recompute pause {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def pause(session: Session, job: Any, *, as_json: bool) -> None:
    """Let a recomputation rest."""
    with session.client() as client:
        _show(client.pause_recomputation(str(job)), as_json=as_json)


@recompute.command(cls=Command, examples=[f"ofc recompute resume {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def resume(session: Session, job: Any, *, as_json: bool) -> None:
    """Let a recomputation that rests go on."""
    with session.client() as client:
        _show(client.resume_recomputation(str(job)), as_json=as_json)


def _watch(client: Client, job_id: str) -> Mapping[str, Any]:
    with watch("Recomputing", counted="hands") as coming:
        job = client.get_recomputation(job_id)
        while True:
            coming.expect(job["progress"]["total"])
            coming.show(job["progress"]["done"], job["progress"]["done"])
            if job["state"] in _ENDED:
                return job
            time.sleep(_LOOKED_AT_EVERY)
            job = patiently(tell_waiting, client.get_recomputation, job_id)


def _show(job: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(job)
    else:
        show_recomputation(make_console(), job)
    if job["state"] == "failed":
        sys.exit(REFUSED)
