"""Rounds put right, and rounds as they might have been."""

import json
from collections.abc import Callable
from typing import Any

import click

from client.api import Client
from client.commands.common import Command, Session, json_option, pass_session, print_json
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.entry.asking import confirm, make_asker
from client.finding import find_round
from client.reading import read_document, read_edited, read_patch
from client.render.comparison import show_comparison
from client.render.console import make_console

Document = dict[str, Any]

patch_option = click.option("--patch", metavar="FILE", help="A JSON Patch of the round's document.")


def amendment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the ways to say how a round's document is amended."""
    for option in (
        click.option(
            "--irregular", type=click.Choice(["stands"]), help="Let hands stand that could not have followed."
        ),
        click.option("--edit", is_flag=True, help="Open the round's document in $EDITOR."),
        click.option("--document", metavar="FILE", help="The round's document, amended."),
        patch_option,
    ):
        command = option(command)
    return command


@click.command(
    name="correct",
    cls=Command,
    examples=[
        f"ofc round correct {EXAMPLE_ID} --reason late --document fixed.json --yes",
        f"ofc round correct {EXAMPLE_ID} --reason later --patch patch.json --yes",
    ],
)
@round_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why; it is kept with the settlement.")
@amendment_options
@click.option("--yes", is_flag=True, help="Correct it without asking.")
@json_option
@pass_session
def correct(
    session: Session,
    round_: str,
    reason: str,
    patch: str | None,
    document: str | None,
    edit: bool,
    irregular: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Put right what was recorded of a round.

    The round is played again from the start. What changes is shown, old beside new, before anything is stored; what was
    recorded stays, as an older revision. ROUND is its id or, for the newest one of a table, the table's name.
    """
    if [patch is not None, document is not None, edit].count(True) != 1:
        raise click.UsageError("Give one of --patch FILE, --document FILE and --edit.")
    console = make_console(error=as_json)
    with session.client() as client:
        found = find_round(client, round_)
        round_id = found["id"]
        request: Document = {"reason": reason, "version": found["version"]}
        if irregular is not None:
            request["irregular"] = irregular
        amended = read_amendment(client, round_id, patch=patch, document=document)
        if amended is None:
            console.print("Nothing was changed.")
            return
        request |= amended
        show_comparison(console, client.try_correction(round_id, request))
        console.print()
        if not yes and not confirm(make_asker(), "Correct the round?"):
            console.print("Nothing was changed.")
            return
        answer = client.correct_round(round_id, request)
    if as_json:
        print_json(answer)
    else:
        console.print(f"Corrected: the settlement has revision {answer['revision']}.")


def read_amendment(client: Client, round_id: str, *, patch: str | None, document: str | None) -> Document | None:
    """Read what is amended: from a patch, from a document, or else as somebody edits it; None where he does not."""
    if patch is not None:
        return {"patch": read_patch(patch)}
    amended = _edit(client, round_id) if document is None else read_document(document)
    return None if amended is None else {"document": amended}


def _edit(client: Client, round_id: str) -> Document | None:
    """Let somebody edit a round's document; None where he leaves it as it is."""
    text = json.dumps(client.get_document(round_id), ensure_ascii=False, indent=2)
    edited = click.edit(text + "\n", extension=".json")
    return None if edited is None else read_edited(edited)


@click.command(
    name="what-if",
    cls=Command,
    examples=[f"ofc round what-if {EXAMPLE_ID} --patch patch.json"],
)
@round_argument
@click.option("--ruleset", metavar="NAME", help="Other rules.")
@patch_option
@json_option
@pass_session
def what_if(session: Session, round_: str, ruleset: str | None, patch: str | None, as_json: bool) -> None:
    """
    Show what a round would have come to otherwise.

    By other rules, or had something else happened. Nothing is stored. Hands that could not have followed stand.

    ROUND is its id or, for the newest one of a table, the table's name.
    """
    if ruleset is None and patch is None:
        raise click.UsageError("Give --ruleset NAME, --patch FILE or both.")
    request: Document = {} if ruleset is None else {"ruleset": ruleset}
    if patch is not None:
        request["patch"] = read_patch(patch)
    with session.client() as client:
        answer = client.what_if(find_round(client, round_)["id"], request)
    if as_json:
        print_json(answer)
    else:
        show_comparison(make_console(), answer)
