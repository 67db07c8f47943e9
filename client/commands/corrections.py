"""Commands that correct a recorded round or a recorded hand, and `what-if`."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from client.api import Client
from client.commands.base import Command, Session, json_option, pass_session, print_json
from client.commands.player_names import find_similar_names, warn_of_name
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.commands.sending import print_sent
from client.entry.correction import Correction
from client.entry.current_round import find_current_round
from client.entry.hand import BUTTON, FANTASYLAND
from client.entry.prompt import confirm, make_asker
from client.errors import ApiError, TransportError, UnreadableError
from client.files import read_document, read_edited, read_patch
from client.lookup import find_round
from client.render.console import make_console
from client.render.settlement import show_comparison

Document = dict[str, Any]

patch_option = click.option("--patch", metavar="FILE", help="A file with a JSON Patch of the round's document.")


@dataclass(frozen=True, slots=True)
class Amendment:
    """
    The options that amend a round's document.

    Attributes:
        patch: a file with a JSON Patch.
        document: a file with the amended document.
        edit: whether to open the document in an editor.
        irregular: how irregular hands are accepted, if at all.
    """

    patch: str | None
    document: str | None
    edit: bool
    irregular: str | None

    @property
    def sources(self) -> int:
        """The number of options that contain a change; more than one is an error."""
        return [self.patch is not None, self.document is not None, self.edit].count(True)

    def read(self, client: Client, round_id: str) -> Document | None:
        """Return the amendment as fields of a correction. None if the editor leaves the document unchanged."""
        irregular = {} if self.irregular is None else {"irregular": self.irregular}
        if self.patch is not None:
            return {"patch": read_patch(self.patch), **irregular}
        amended = _edit(client, round_id) if self.document is None else read_document(self.document)
        return None if amended is None else {"document": amended, **irregular}


def amendment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that amend a round's document, and pass them as one `Amendment`."""

    @wraps(command)
    def with_amendment(
        *args: Any, patch: str | None, document: str | None, edit: bool, irregular: str | None, **options: Any
    ) -> None:
        command(*args, amendment=Amendment(patch, document, edit, irregular), **options)

    amended: Callable[..., None] = with_amendment
    for option in (
        click.option("--irregular", type=click.Choice(["accept"]), help="Accept irregular hands as played."),
        click.option("--edit", is_flag=True, help="Open the round's document in $EDITOR."),
        click.option("--document", metavar="FILE", help="A file with the amended document of the round."),
        patch_option,
    ):
        amended = option(amended)
    return amended


@click.command(
    name="correct",
    cls=Command,
    examples=[
        f"ofc round correct {EXAMPLE_ID} --reason late --document fixed.json --yes",
        f"ofc round correct {EXAMPLE_ID} --reason later --patch patch.json --yes",
    ],
)
@round_argument
@click.option("--reason", metavar="TEXT", required=True, help="The reason; it is stored with the settlement.")
@amendment_options
@click.option("--yes", is_flag=True, help="Correct it without asking.")
@json_option
@pass_session
def correct_round(session: Session, round_: str, reason: str, amendment: Amendment, yes: bool, as_json: bool) -> None:
    """
    Correct what was recorded of a round.

    The round is replayed from the start. What changes is shown, old beside new, before anything is stored. The previous
    state remains as an older revision. ROUND is its id or, for the newest round of a table, the table's name.
    """
    if amendment.sources != 1:
        raise click.UsageError("Give one of --patch FILE, --document FILE and --edit.")
    console = make_console(error=as_json)
    with session.client() as client:
        found = find_round(client, round_)
        round_id = found["id"]
        amended = amendment.read(client, round_id)
        if amended is None:
            console.print("Nothing was changed.")
            return
        request: Document = {"reason": reason, "version": found["version"], **amended}
        tried = client.try_correction(round_id, request)
        show_comparison(console, tried)
        console.print()
        if not tried["changed"]:
            if as_json:
                print_json(tried)
            console.print("Nothing was changed: the round is recorded like this already.")
            return
        warn_of_names(client, found, tried)
        if not yes and not confirm(make_asker(), "Correct the round?"):
            console.print("Nothing was changed.")
            return
        response = client.correct_round(round_id, request)
    if as_json:
        print_json(response)
    else:
        console.print(f"Corrected: the settlement has revision {response['revision']}.")


def warn_of_names(client: Client, round_: Document, tried: Document) -> None:
    """Warn on stderr about players that a correction adds and whose names are similar to a known player's."""
    new = [net["player"] for net in tried["net"] if net["before"] is None]
    staying = [net["player"] for net in tried["net"] if None not in (net["before"], net["after"])]
    with suppress(ApiError):  # a key that may not list rounds can correct one
        similar = find_similar_names(client, [round_["table"]], new, staying, without=round_["id"])
        for name, known in similar.items():
            warn_of_name(name, known)


def _edit(client: Client, round_id: str) -> Document | None:
    """Open a round's document in an editor. None if it is unchanged."""
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
    Show the result of a round with changes, without storing it.

    The changes are other rules, other hands, or both. Hands, top-ups and departures are accepted as played.

    ROUND is its id or, for the newest round of a table, the table's name.
    """
    if ruleset is None and patch is None:
        raise click.UsageError("Give --ruleset NAME, --patch FILE or both.")
    request: Document = {} if ruleset is None else {"ruleset": ruleset}
    if patch is not None:
        request["patch"] = read_patch(patch)
    with session.client() as client:
        response = client.what_if(find_round(client, round_)["id"], request)
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
@click.argument("table", metavar="TABLE")
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
    table. A correction needs the service.
    """
    console, asker = make_console(error=as_json), make_asker()
    given = [(BUTTON, button), (FANTASYLAND, fantasyland)]
    is_given = bool(boards) or button is not None or fantasyland is not None
    if not asker.can_correct and not (is_given and reason):
        raise click.UsageError("Without a terminal, give --reason TEXT, and --seat, --button or --fantasyland.")
    with session.client() as client, session.outbox(client) as outbox:
        current = find_current_round(client, outbox, table, lambda sent: print_sent(console, sent))
        if current.outage is not None:
            raise TransportError(f"a correction needs the service and is not saved on this machine: {current.outage}")
        correction = Correction(client, current, number, accepts=irregular is not None)
        correction.check_allowed()
        entry = correction.entry
        for place, text in given:
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
        response = correction.store(asker, reason) if tried["changed"] else tried
    if as_json:
        print_json(response)
    if tried["changed"]:
        console.print(
            f"Corrected: hand {number} at {current.known.table}; revision {response['revision']}.", soft_wrap=True
        )
    else:
        console.print("Nothing was changed: the hand is recorded like this already.")
