"""Commands that start, watch and stop recomputations."""

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

import click

from client.api import Client, wait_for_job
from client.commands.administration import EXAMPLE_JOB, add_verbs
from client.commands.base import (
    REFUSED,
    Command,
    Group,
    Period,
    Session,
    json_option,
    pass_session,
    period_options,
    print_json,
    print_waiting,
)
from client.commands.names import complete_recomputations, complete_rounds, complete_rulesets, complete_tables
from client.errors import ApiError
from client.import_export import retry_until_available
from client.lookup import add_names_of_payments, find_id, find_round, find_table
from client.proposing import needs_second_auditor, refuse_ended
from client.render.console import make_console
from client.render.progress import show_progress
from client.render.proposals import show_proposed
from client.render.reports import show_difference, show_recomputation

_SHOWN: Final = 20
"""Differences that are shown to people; scripts get all of them."""

id_argument = click.argument("job_id", metavar="ID", shell_complete=complete_recomputations)


@click.group(
    name="recompute",
    cls=Group,
    examples=["ofc recompute start --reason 'yearly audit' --watch", f"ofc recompute differences {EXAMPLE_JOB}"],
)
def recompute() -> None:
    """Replay stored rounds, and find results that were stored differently."""


@recompute.command(
    cls=Command,
    examples=[
        "ofc recompute start --reason 'yearly audit' --from 2026-01-01 --watch",
        "ofc recompute start --reason 'what if' --table kitchen --by progressive",
        "ofc recompute start --reason 'the wrong rules' --ruleset deuce-to-seven --by turbo --apply",
        f"ofc recompute start --reason 'wrong rules' --apply-audit {EXAMPLE_JOB}",
    ],
)
@click.option("--reason", required=True, metavar="TEXT", help="The reason; it is stored with new settlements.")
@click.option("--table", help="Only rounds of this table, by its name or id.", shell_complete=complete_tables)
@click.option(
    "--round",
    "rounds",
    multiple=True,
    metavar="ROUND",
    help="Only this round, or a table's newest; can be repeated.",
    shell_complete=complete_rounds,
)
@click.option("--ruleset", help="Only rounds under this ruleset.", shell_complete=complete_rulesets)
@period_options
@click.option(
    "--by",
    "other",
    metavar="RULESET",
    help="Replay by this ruleset in place of the rounds' own.",
    shell_complete=complete_rulesets,
)
@click.option("--apply", "applies", is_flag=True, help="Store new settlement revisions for rounds that differ.")
@click.option(
    "--apply-audit",
    "audit",
    metavar="ID",
    help="Store them for what this audit found, and nothing else.",
    shell_complete=complete_recomputations,
)
@click.option(
    "--final", "takes_final", is_flag=True, help="With --apply or --apply-audit: change final settlements too."
)
@click.option("--watch", "is_watched", is_flag=True, help="Wait until it ends, and show the progress.")
@json_option
@pass_session
def start(
    session: Session,
    reason: str,
    table: str | None,
    rounds: tuple[str, ...],
    ruleset: str | None,
    period: Period,
    other: str | None,
    *,
    applies: bool,
    audit: str | None,
    takes_final: bool,
    is_watched: bool,
    as_json: bool,
) -> None:
    """
    Start a recomputation of stored rounds.

    It replays all rounds of the club, or those that the options select, and shows what players would gain or lose and
    who would pay whom. Nothing is changed without --apply or --apply-audit, and no final settlement without --final. In
    a club that requires a second auditor, --apply-audit with --final is proposed, and another key confirms it with `ofc
    proposal confirm`.
    """
    selected = {"--table": table, "--round": rounds, "--ruleset": ruleset, "--by": other, "--apply": applies}
    selected |= {"--from": period.begin, "--to": period.end}
    _check_options(audit, [name for name, value in selected.items() if value], applies=applies, takes_final=takes_final)
    with session.client(is_patient=is_watched, reports_waiting=not is_watched) as client:
        scope = {
            "table": None if table is None else find_table(client, table)["id"],
            "rounds": [find_round(client, round_)["id"] for round_ in rounds] or None,
            "ruleset": ruleset,
            **{name.rstrip("_"): moment for name, moment in period.find(client).items()},
        }
        asked: Any = {"mode": "audit" if audit is None and not applies else "apply", "reason": reason}
        asked |= ({"ruleset": other} if other else {}) | ({"final": True} if takes_final else {})
        selection: Any = {name: value for name, value in scope.items() if value is not None}
        asked |= {"scope": selection} if audit is None else {"audit": find_id(client, "recomputation", audit)}
        try:
            job = client.start_recomputation(asked)
        except ApiError as error:
            if audit is None or not needs_second_auditor(error):
                raise
            _propose(client, asked["audit"], reason, as_json=as_json)
            return
        _show(client, _watch(client, job) if is_watched else job, as_json=as_json)


def _propose(client: Client, audit_id: str, reason: str, *, as_json: bool) -> None:
    proposal = client.propose_recomputation(audit_id, {"reason": reason})
    refuse_ended(proposal)
    if as_json:
        print_json(proposal)
    else:
        show_proposed(make_console(), proposal)


def _check_options(audit: str | None, selected: Sequence[str], *, applies: bool, takes_final: bool) -> None:
    """
    Check options against each other, before anything is sent.

    Raises:
        UsageError: two contradict each other, or one is missing.
    """
    if audit is not None and selected:
        raise click.UsageError(f"--apply-audit and {selected[0]} were given; expected one of them")
    if takes_final and not applies and audit is None:
        raise click.UsageError("--final was given without --apply; expected it with --apply or --apply-audit")


@recompute.command(name="watch", cls=Command, examples=[f"ofc recompute watch {EXAMPLE_JOB}"])
@id_argument
@json_option
@pass_session
def watch_(session: Session, job_id: str, *, as_json: bool) -> None:
    """
    Wait until a recomputation ends.

    Its progress is shown meanwhile. Ctrl-C stops watching only.
    """
    with session.client(is_patient=True, reports_waiting=False) as client:
        job = client.get_recomputation(find_id(client, "recomputation", job_id))
        _show(client, _watch(client, job), as_json=as_json)


@recompute.command(
    cls=Command,
    examples=[
        f"ofc recompute differences {EXAMPLE_JOB}",
        f"ofc recompute differences {EXAMPLE_JOB} --json > found.ndjson",
    ],
)
@id_argument
@json_option
@pass_session
def differences(session: Session, job_id: str, *, as_json: bool) -> None:
    """
    List the differences that a recomputation has found so far.

    --json prints all of them, one a line.
    """
    with session.client() as client:
        items = client.list_differences(find_id(client, "recomputation", job_id))
        if as_json:
            for each in items:
                print_json(each, indent=None)
            return
        console, shown = make_console(), list(islice(items, _SHOWN))
        for each in shown:
            show_difference(console, each)
        if not shown:
            console.print("no differences")
        elif next(items, None) is not None:
            console.print("and more; --json prints all of them")


add_verbs(recompute)


def _watch(client: Client, job: Mapping[str, Any]) -> Mapping[str, Any]:
    with show_progress("Recomputing", counted="hands") as bar:

        def show(job: Mapping[str, Any]) -> None:
            bar.expect(job["progress"]["total"])
            bar.show(job["progress"]["done"], job["progress"]["done"])

        def get(job_id: str) -> dict[str, Any]:
            return retry_until_available(print_waiting, client.get_recomputation, job_id)

        return wait_for_job(dict(job), get, show)


def _show(client: Client, job: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(job)
    else:
        [named] = add_names_of_payments(client, [job])
        show_recomputation(make_console(), named)
    if job["state"] == "failed":
        sys.exit(REFUSED)
