"""The command that posts round documents, and hands that could not be sent."""

from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console

from client.api import Client
from client.commands.base import Command, Session, json_option, pass_session, print_json, with_source
from client.commands.names import complete_files
from client.entry.next_hand import record_hand
from client.entry.player_names import confirm_names, find_similar_in_documents, yes_option
from client.entry.prompt import make_asker
from client.errors import RefusedError, UnreadableError
from client.files import read_document
from client.offline.problems import check_expected
from client.offline.score import Document, check_shape, is_round
from client.posting import RECORDED, PostedHand, PostedStep, find_ruleset, open_round, post_steps
from client.render.console import make_console
from client.render.format import Names, plural
from client.render.hands import explain_hand, explain_next
from client.render.problems import SAME_DEAL
from client.render.rounds import explain_departure, explain_end, show_heading
from client.responses import Response, find_undone_record


@click.command(
    cls=Command,
    examples=[
        "ofc post examples/pineapple.json",
        "ofc post --whole examples/pineapple*.json",
        "ofc post --reference friday/1 round.json",
        "ofc post hand-4-of-friday.json",
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
    Post rounds and hands to the service, and explain their results.

    A round is posted hand by hand. A missing table is created by its name. What is already recorded is not recorded
    again: an interrupted post resumes where it stopped, and a round in play can be posted after every hand. A new
    player whose name differs from a known player's by case or accents only is asked about. A FILE can also have one
    hand that `ofc hand add` could not send. --json prints a line for each FILE.
    """
    if reference is not None and len(files) > 1:
        raise click.UsageError("--reference names one round; give one FILE with it.")
    documents = [(file, read_document(file)) for file in files]
    if reference is not None and _is_hand(documents[0][1]):
        raise click.UsageError("--reference names a round; FILE has a hand of a round.")
    post_one = _post_whole if whole else _post_by_hand
    with session.client() as client:
        if not confirm_names(find_similar_in_documents(client, [document for _, document in documents]), yes=yes):
            make_console(error=as_json).print("Nothing was posted.")
            return
        for file, document in documents:
            with with_source(file):
                if _is_hand(document):
                    _post_hand(client, document, as_json=as_json)
                    continue
                if reference is not None:
                    document["reference"] = reference
                post_one(client, document, None if as_json else make_console())


def _is_hand(document: Document) -> bool:
    """Return whether a document is a hand of a round, as a line of `POST /v1/hands` is."""
    return "round" in document and not is_round(document)


def _post_hand(client: Client, line: Document, *, as_json: bool) -> None:
    """Record a hand that could not be sent. If it is recorded already, show its record."""
    round_id, hand = line["round"], {name: value for name, value in line.items() if name != "round"}
    if not isinstance(round_id, str):
        raise UnreadableError(f"`round` is {round_id!r}; expected the ID of the round of the hand")
    console, asker = make_console(error=as_json), make_asker()

    def send(hand: Any) -> Response:
        return client.record_hand(round_id, hand)

    try:
        response = record_hand(console, asker, send, hand, is_agreed=False) if asker.can_correct else send(hand)
    except RefusedError as error:
        error.advice = _advise(error)
        raise
    if response is None:
        console.print("Nothing was posted.")
    elif as_json:
        print_json(response, indent=None)
    else:
        round_ = response["round"]
        posted, names = PostedHand(hand, response), Names(round_["seats"])
        explain_hand(console, hand, response, client.get_ruleset(round_["ruleset"]), names, posted.note)
        explain_next(console, round_, names)
        console.print(_count([response]))


def _advise(error: RefusedError) -> str | None:
    """Return what to add to a file so that its hand is recorded."""
    record = find_undone_record(error.problem)
    if record is not None:
        return f'With `"restores": "{record}"` in the file, the hand counts again.'
    if error.code == SAME_DEAL:
        return 'With `"dealt_again": true` in the file, it is recorded, if the players were dealt the same cards again.'
    return None


def _post_whole(client: Client, document: Any, console: Console | None) -> None:
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
