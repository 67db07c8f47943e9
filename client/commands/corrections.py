"""Commands that correct a recorded round or a recorded hand, and `what-if`; and those about proposed corrections."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import click

from client.api import Client
from client.commands.amendments import SOURCES, Amendment, TypedRows, amendment_options, patch_option, row_options
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.names import complete_rulesets, complete_tables
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.commands.verbs import Verb, add_commands
from client.entry.correction import DRY_RUN_REASON, Correction
from client.entry.current_round import find_current_round
from client.entry.hand import BUTTON, FANTASYLAND
from client.entry.player_names import find_similar_names, warn_of_name
from client.entry.prompt import ask_reason, confirm, make_asker
from client.errors import ApiError, UnreadableError
from client.files import read_patch
from client.lookup import find_id, find_round
from client.proposing import correct_or_propose
from client.render.console import make_console
from client.render.proposals import PROPOSALS, show_proposal, show_proposed
from client.render.settlement import show_comparison

Document = dict[str, Any]

_NOTHING: Final = "Nothing was changed."


@click.command(
    name="correct",
    cls=Command,
    examples=[
        "ofc round correct friday --hand 1 --seat ann --row top 'Ac Jh 9h' --reason misread --yes",
        "ofc round correct friday --hand 1 --seat ann --row top 'Ac Jh 9h' --dry-run",
        f"ofc round correct {EXAMPLE_ID} --reason late --document fixed.json --yes",
        f"ofc round correct {EXAMPLE_ID} --reason later --patch patch.json --yes",
    ],
)
@round_argument
@click.option("--reason", metavar="TEXT", help="The reason; it is stored with the settlement.")
@amendment_options
@click.option("--dry-run", is_flag=True, help="Show what changes, and store nothing.")
@click.option("--yes", is_flag=True, help="Correct it without asking.")
@json_option
@pass_session
def correct_round(
    session: Session,
    round_: str,
    reason: str | None,
    amendment: Amendment,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Correct what was recorded of a round.

    The round is replayed from the start. What changes is shown, old beside new, before anything is stored. The previous
    state remains as an older revision. ROUND is its id or, for the newest round of a table, the table's name.

    If the settlement was final, a club can require a second auditor. The correction is then proposed, and another key
    confirms it with `ofc proposal confirm`.

    --hand, --seat and --row give the cards that a row had. Streets of a player whose row changes are no longer
    known, and discards stay.
    """
    if amendment.sources != 1:
        raise click.UsageError(f"Give one of {SOURCES}.")
    console, asker = make_console(error=as_json), make_asker()
    if reason is None and not dry_run and not asker.can_correct:
        raise click.UsageError("Without a terminal, give --reason TEXT.")
    with session.client() as client:
        record = find_round(client, round_)
        amended = amendment.read(client, record)
        if amended is None:
            console.print(_NOTHING)
            return
        request: Any = {"reason": reason or DRY_RUN_REASON, "version": record["version"], **amended}
        corrected = correct_or_propose(client, record["id"], request, dry_run=True)
        is_change = corrected.comparison["changed"]
        show_comparison(console, corrected.comparison)
        console.print()
        if is_change and not dry_run:
            warn_of_names(client, record, corrected.comparison)
            question = "Correct the round?" if corrected.proposal is None else "Propose the correction?"
            if not yes and not confirm(asker, question):
                console.print(_NOTHING)
                return
            request["reason"] = reason or ask_reason(asker)
            corrected = correct_or_propose(client, record["id"], request)
    if as_json:
        print_json(corrected.response)
    elif dry_run and is_change:
        console.print("Nothing was stored: this was a dry run.")
    elif corrected.proposal is not None:
        show_proposed(console, corrected.proposal)
    elif is_change:
        console.print(f"Corrected: the settlement has revision {corrected.comparison['revision']}.")
    if not is_change:
        console.print("Nothing was changed: the round is recorded like this already.")


def warn_of_names(client: Client, round_: Mapping[str, Any], tried: Mapping[str, Any]) -> None:
    """Warn on stderr about players that a correction adds and whose names are similar to a known player's."""
    new = [net["player"] for net in tried["net"] if net["before"] is None]
    staying = [net["player"] for net in tried["net"] if None not in (net["before"], net["after"])]
    with suppress(ApiError):  # a key that may not list rounds can correct one
        similar = find_similar_names(client, [round_["table"]], new, staying, without=round_["id"])
        for name, known in similar.items():
            warn_of_name(name, known)


@click.command(
    name="what-if",
    cls=Command,
    examples=[
        f"ofc round what-if {EXAMPLE_ID} --patch patch.json",
        "ofc round what-if friday --hand 1 --seat ann --row top 'Ac Jh 9h'",
    ],
)
@round_argument
@click.option("--ruleset", metavar="NAME", help="Other rules.", shell_complete=complete_rulesets)
@row_options
@patch_option
@json_option
@pass_session
def what_if(
    session: Session, round_: str, ruleset: str | None, typed: TypedRows, patch: str | None, as_json: bool
) -> None:
    """
    Show the result of a round with changes, without storing it.

    The changes are other rules, other hands, or both. Hands, top-ups and departures are accepted as played.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    if patch is not None and typed.is_given:
        raise click.UsageError("Give one of --patch FILE and --row ROW CARDS.")
    if ruleset is None and patch is None and not typed.is_given:
        raise click.UsageError("Give --ruleset NAME, --patch FILE or --row ROW CARDS.")
    request: Any = {} if ruleset is None else {"ruleset": ruleset}
    if patch is not None:
        request["patch"] = read_patch(patch)
    with session.client() as client:
        record = find_round(client, round_)
        if typed.is_given:
            request["changes"] = typed.read(record)
        response = client.what_if(record["id"], request)
    if as_json:
        print_json(response)
    else:
        show_comparison(make_console(), response)


@click.command(
    name="correct",
    cls=Command,
    examples=[
        "ofc hand correct friday 1 --seat ann 'AhKd9c / JsJd8c5h2c / AsAdTcTh4s' --reason misread --yes",
        "ofc hand correct friday 1 --button ben --reason 'the wrong button' --yes",
    ],
)
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
@click.argument("number", metavar="NUMBER", type=click.IntRange(1))
@click.option("--button", metavar="SEAT", help="Who had the button, by seat or player.")
@click.option("--fantasyland", metavar="TEXT", help="Who was in Fantasyland, for example '1=14 cyd=15', or none.")
@click.option("--seat", "boards", nargs=2, multiple=True, metavar="SEAT CARDS", help="A player's cards as they were.")
@click.option("--reason", metavar="TEXT", help="The reason; it is stored with the settlement.")
@click.option("--irregular", type=click.Choice(["accept"]), help="Accept irregular hands as played.")
@click.option("--yes", is_flag=True, help="Correct it without asking.")
@json_option
@pass_session
def correct_hand(
    session: Session,
    table: str,
    number: int,
    button: str | None,
    fantasyland: str | None,
    boards: tuple[tuple[str, str], ...],
    reason: str | None,
    irregular: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Correct a recorded hand of the table's round.

    On a terminal the recorded button, Fantasyland and cards are offered for editing, unless options say what was wrong.
    What changes is shown, old beside new, before anything is stored. The round is the open one or the last one of the
    table.
    """
    console, asker = make_console(error=as_json), make_asker()
    texts = [(BUTTON, button), (FANTASYLAND, fantasyland)]
    is_given = bool(boards) or button is not None or fantasyland is not None
    if not asker.can_correct and not (is_given and reason):
        raise click.UsageError("Without a terminal, give --reason TEXT, and --seat, --button or --fantasyland.")
    with session.client() as client:
        current = find_current_round(client, table)
        correction = Correction(client, current, number, accepts=irregular is not None)
        correction.check_allowed()
        entry = correction.entry
        for place, text in texts:
            if text is not None:
                entry.fill(place, text)
        for seat, text in boards:
            entry.fill(entry.find_place(seat), text)
        wrong = entry.accept_recorded() if is_given else None
        if wrong is not None and not asker.can_correct:
            raise UnreadableError(wrong)
        tried = correction.enter(console, asker, is_agreed=yes)
        if tried is None:
            console.print("Nothing was changed.")
            return
        corrected = correction.store(asker, reason) if tried.comparison["changed"] else tried
    if as_json:
        print_json(corrected.response)
    if corrected.proposal is not None:
        show_proposed(console, corrected.proposal)
    elif tried.comparison["changed"]:
        revision = corrected.comparison["revision"]
        console.print(f"Corrected: hand {number} at {current.table}; revision {revision}.", soft_wrap=True)
    else:
        console.print("Nothing was changed: the hand is recorded like this already.")


EXAMPLE_PROPOSAL: Final = "01a1fc11-7d20-7b64-8e1f-2c9a5b3d4e60"


def _find_proposal(client: Client, text: str) -> Mapping[str, Any]:
    return {"id": find_id(client, "proposal", text)}


_ONE_PROPOSAL: Final[Mapping[str, Any]] = {"finds": {"proposal_id": _find_proposal}}

PROPOSAL_VERBS: Final[Mapping[str, Verb]] = {
    "proposal list": Verb(
        operation="list_proposals",
        help="List proposals, newest first.",
        examples=["ofc proposal list --state waiting", "ofc proposal list --round friday --json"],
        metavars={"round": "ROUND"},
        columns=PROPOSALS,
        items="proposals",
        limit=50,
    ),
    "proposal show": Verb(
        operation="get_proposal",
        help="Show a proposal with what it changes.",
        examples=[f"ofc proposal show {EXAMPLE_PROPOSAL}"],
        show=show_proposal,
        **_ONE_PROPOSAL,
    ),
    "proposal confirm": Verb(
        operation="confirm_proposal",
        help="""Confirm a proposal, so that it takes effect.

        The key must be another than the one that proposed it, and not of the same people. What changes is shown before
        anything is stored. A round that has changed since is not corrected.""",
        examples=[f"ofc proposal confirm {EXAMPLE_PROPOSAL} --yes"],
        show=show_proposal,
        confirms=("get_proposal", "Confirm it?"),
        done="Confirmed: proposal {id}.",
        **_ONE_PROPOSAL,
    ),
    "proposal withdraw": Verb(
        operation="withdraw_proposal",
        help="Withdraw a proposal, or refuse that of another key.",
        examples=[f"ofc proposal withdraw {EXAMPLE_PROPOSAL} --reason 'the other camera shows it'"],
        done="Withdrawn: proposal {id}.",
        **_ONE_PROPOSAL,
    ),
}
"""The rows of `ofc proposal`, by the names of their commands."""


@click.group(
    name="proposal",
    cls=Group,
    examples=["ofc proposal list --state waiting", f"ofc proposal confirm {EXAMPLE_PROPOSAL} --yes"],
)
def proposals() -> None:
    """
    Confirm and withdraw changes of final settlements.

    In a club that requires a second auditor, `ofc round correct`, `ofc hand correct`, `ofc dispute resolve` and `ofc
    recompute start` propose what would change a final settlement. It takes effect when another key confirms it.
    """


add_commands(proposals, PROPOSAL_VERBS)
