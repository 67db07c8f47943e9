"""Commands that print explanations of hands, point by point, as the service writes them."""

from itertools import chain
from pathlib import Path
from typing import Final, Literal

import click

from client.api import Client
from client.commands.base import (
    Command,
    NamedPath,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    print_json,
    refuse_output,
)
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.files import write_file
from client.lookup import find_id, find_round
from client.render.console import make_console

EXAMPLE_HAND_ID: Final = "01a1fa77-4a5e-7012-9c3f-1f0a9d62b7e4"
Form = Literal["text/plain", "text/html"]
_TEXT: Final[Form] = "text/plain"
_HTML: Final[Form] = "text/html"

revision_option = click.option(
    "--revision", type=click.IntRange(1), metavar="NUMBER", help="Show an older revision of the round."
)


@click.command(
    name="explain",
    cls=Command,
    examples=[f"ofc hand explain {EXAMPLE_HAND_ID}", f"ofc hand explain {EXAMPLE_HAND_ID} --html hand.html"],
)
@click.argument("hand_id", metavar="ID")
@revision_option
@click.option("--html", "page", type=NamedPath(), metavar="FILE", help="Write a printable HTML page, too.")
@overwrite_option
@json_option
@pass_session
def explain_hand(
    session: Session, hand_id: str, revision: int | None, page: Path | None, overwrites: bool, as_json: bool
) -> None:
    """
    Explain a recorded hand, point by point.

    Every point with the cards that decide it, every cap with the stacks at that moment, and the heading of the rule.
    """
    refuse_output(page, overwrites=overwrites)
    with session.client() as client:
        hand_id = find_id(client, "hand", hand_id)
        explanation = client.explain_hand(hand_id, revision=revision) if as_json else None
        text = "" if as_json else _read(client, hand_id, _TEXT, revision)
        written = _read(client, hand_id, _HTML, revision) if page else ""
    if page is not None:
        write_file(page, written.encode(), overwrites=overwrites)
    if explanation is not None:
        print_json(explanation)
    else:
        _print(text)


@click.command(
    name="explain",
    cls=Command,
    examples=["ofc round explain friday", f"ofc round explain {EXAMPLE_ID} --revision 1"],
)
@round_argument
@revision_option
@json_option
@pass_session
def explain_round(session: Session, round_: str, revision: int | None, as_json: bool) -> None:
    """
    Explain every hand of a round, point by point.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    with session.client() as client:
        round_id = find_round(client, round_)["id"]
        recorded = [hand["id"] for hand in client.list_hands(round_id, revision=revision)]
        if as_json:
            print_json({"hands": [client.explain_hand(hand_id, revision=revision) for hand_id in recorded]})
            return
        texts = (_read(client, hand_id, _TEXT, revision) for hand_id in recorded)
        first = next(texts, "No hand was played yet.\n")
        for text in chain([first], (f"\n{text}" for text in texts)):
            _print(text)


def _read(client: Client, hand_id: str, form: Form, revision: int | None) -> str:
    return client.explain_hand_as(form, hand_id, revision=revision).content.decode()


def _print(text: str) -> None:
    make_console().print(text, soft_wrap=True, end="")
