"""The command that posts round documents."""

from collections.abc import Iterable

import click
from rich.console import Console

from client.api import Client
from client.commands.base import Command, Session, json_option, pass_session, print_json, with_source
from client.commands.names import complete_files
from client.commands.player_names import confirm_names, find_similar_in_documents, yes_option
from client.files import read_document
from client.offline.problems import check_expected
from client.offline.score import Document, check_shape
from client.posting import RECORDED, PostedHand, PostedStep, find_ruleset, open_round, post_steps
from client.render.console import make_console
from client.render.format import Names, plural
from client.render.hands import explain_hand
from client.render.rounds import explain_departure, explain_end, show_heading
from client.responses import Response


@click.command(
    cls=Command,
    examples=[
        "ofc post examples/pineapple.json",
        "ofc post --whole examples/pineapple*.json",
        "ofc post --reference friday/1 round.json",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@click.option("--whole", is_flag=True, help="Post each round in one request: all of it is recorded, or nothing.")
@click.option("--reference", metavar="TEXT", help="Your reference for the round, in place of that in FILE.")
@yes_option
@json_option
@pass_session
def post(
    session: Session, files: tuple[str, ...], whole: bool, reference: str | None, yes: bool, as_json: bool
) -> None:
    """
    Post rounds to the service, and explain their results.

    A round is posted hand by hand. A missing table is created by its name. What is already recorded is not recorded
    again: an interrupted post resumes where it stopped, and a round in play can be posted after every hand. A new
    player whose name differs from a known player's by case or accents only is asked about. --json prints a line for
    each round.
    """
    if reference is not None and len(files) > 1:
        raise click.UsageError("--reference names one round; give one FILE with it.")
    documents = [(file, read_document(file)) for file in files]
    post_one = _post_whole if whole else _post_by_hand
    with session.client() as client:
        if not confirm_names(find_similar_in_documents(client, [document for _, document in documents]), yes=yes):
            make_console(error=as_json).print("Nothing was posted.")
            return
        for file, document in documents:
            if reference is not None:
                document["reference"] = reference
            with with_source(file):
                post_one(client, document, None if as_json else make_console())


def _post_whole(client: Client, document: Document, console: Console | None) -> None:
    played = client.play_document(document)
    if console is None:
        print_json(played, indent=None)
        return
    show_heading(console, f"Round {played['round']['id']}", played["round"], RECORDED if played.is_replay else "")
    ruleset = client.get_ruleset(played["round"]["ruleset"])
    explain_end(console, played, ruleset, Names(played["round"]["seats"]), shown_before=0)


def _post_by_hand(client: Client, document: Document, console: Console | None) -> None:
    check_shape(document)
    ruleset = find_ruleset(client, document)
    opened = open_round(client, document, ruleset)
    steps = post_steps(client, opened, document)
    names = Names(document["seats"])
    if console is None:
        shown = list(steps)
    else:
        show_heading(console, f"Round {opened['id']}", opened, RECORDED if opened.is_replay else "")
        shown = list(_explain_steps(console, steps, ruleset, names))
    played = {"round": client.get_round(opened["id"]), "settlement": client.get_settlement(opened["id"])}
    if console is None:
        print_json(played, indent=None)
    else:
        hands = [step.response for step in shown if isinstance(step, PostedHand)]
        explain_end(console, played, ruleset, names, shown_before=sum(len(hand["transfers"]) for hand in hands))
        console.print(_count(hands))
    check_expected(document.get("expected"), played)


def _explain_steps(
    console: Console, steps: Iterable[PostedStep], ruleset: Document, names: Names
) -> Iterable[PostedStep]:
    """Explain each step as soon as it is recorded, and yield it."""
    for step in steps:
        if isinstance(step, PostedHand):
            explain_hand(console, step.hand, step.response, ruleset, names, step.note)
        else:
            explain_departure(console, step.departure, names, RECORDED if step.is_replay else "")
        yield step


def _count(hands: list[Response]) -> str:
    before = sum(hand.is_replay for hand in hands)
    now = plural(len(hands) - before, "hand")
    return f"Recorded now: {now}; recorded before: {before}." if before else f"Recorded: {now}."
