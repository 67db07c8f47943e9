"""The options that amend a recorded round: a patch, a document, an editor, or the cards of rows."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

import click

from client.api import Client
from client.commands.names import complete_files
from client.errors import UnreadableError
from client.files import read_document, read_edited, read_patch
from client.lookup import find_seat
from client.render.format import plural

Document = dict[str, Any]

SOURCES: Final = "--patch FILE, --document FILE, --edit and --row ROW CARDS"
_ROWS: Final = {"top": "top", "middle": "middle", "bottom": "bottom", "front": "top", "back": "bottom"}

patch_option = click.option(
    "--patch", metavar="FILE", help="A file with a JSON Patch of the round's document.", shell_complete=complete_files
)


@dataclass(frozen=True, slots=True)
class TypedRows:
    """
    Rows of one hand as they are typed.

    Attributes:
        hand: the number of the hand, if it is given.
        seats: the seat of every row, or one seat for all rows.
        rows: the name and the cards of every row.
    """

    hand: int | None
    seats: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]

    @property
    def is_given(self) -> bool:
        """Whether there is any of these options."""
        return self.hand is not None or bool(self.seats or self.rows)

    def check(self) -> None:
        """
        Check that the options belong together.

        Raises:
            UsageError: one of them is missing, or there is not a seat for every row.
        """
        if not self.is_given:
            return
        options = {"--hand NUMBER": self.hand, "--seat SEAT": self.seats, "--row ROW CARDS": self.rows}
        missing = [name for name, value in options.items() if not value]
        if missing:
            raise click.UsageError(f"{' and '.join(missing)} missing; expected --hand, --seat and --row together.")
        if len(self.seats) not in (1, len(self.rows)):
            counts = f"{plural(len(self.seats), 'seat')} and {plural(len(self.rows), 'row')} are given"
            raise click.UsageError(
                f"{counts}; expected one --seat for all rows, or one for each --row in the same order."
            )

    def read(self, round_: Document) -> list[Document]:
        """
        Return the changes of the rows.

        Raises:
            UnreadableError: the round does not have the hand or seat, or the cards are no row.
        """
        if self.hand is None or self.hand > round_["hands"]:
            there = f"hands 1 to {round_['hands']}" if round_["hands"] > 1 else plural(round_["hands"], "hand")
            raise UnreadableError(f"--hand {self.hand}: the round has no hand {self.hand}; it has {there}")
        seats = self.seats if len(self.seats) > 1 else self.seats * len(self.rows)
        return [
            {
                "hand": self.hand,
                "seat": find_seat(round_["seats"], seat, "in the round"),
                "row": _ROWS[row],
                "cards": _read_cards(_ROWS[row], text),
            }
            for seat, (row, text) in zip(seats, self.rows, strict=True)
        ]


def _read_cards(row: str, text: str) -> list[str]:
    from client.offline.typed_board import read_row  # the rules take long to import

    try:
        return read_row(row, text)
    except ValueError as error:
        raise UnreadableError(f"--row {row} {text!r}: {error}") from None


@dataclass(frozen=True, slots=True)
class Amendment:
    """
    The options that amend a round's document.

    Attributes:
        patch: a file with a JSON Patch.
        document: a file with the amended document.
        edit: whether to open the document in an editor.
        typed: the rows that are typed.
        irregular: how irregular hands are accepted, if at all.
    """

    patch: str | None
    document: str | None
    edit: bool
    typed: TypedRows
    irregular: str | None

    @property
    def sources(self) -> int:
        """The number of options that contain a change; more than one is an error."""
        return [self.patch is not None, self.document is not None, self.edit, self.typed.is_given].count(True)

    def read(self, client: Client, round_: Document) -> Document | None:
        """Return the amendment as fields of a correction. None if the editor leaves the document unchanged."""
        irregular = {} if self.irregular is None else {"irregular": self.irregular}
        if self.patch is not None:
            return {"patch": read_patch(self.patch), **irregular}
        if self.typed.is_given:
            return {"changes": self.typed.read(round_), **irregular}
        amended = _edit(client, round_["id"]) if self.document is None else read_document(self.document)
        return None if amended is None else {"document": amended, **irregular}


def row_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that give the cards of rows, and pass them as one `TypedRows`."""

    @wraps(command)
    def with_rows(
        *args: Any, hand: int | None, seats: tuple[str, ...], rows: tuple[tuple[str, str], ...], **options: Any
    ) -> None:
        typed = TypedRows(hand, seats, rows)
        typed.check()
        command(*args, typed=typed, **options)

    typed: Callable[..., None] = with_rows
    for option in (
        click.option(
            "--row",
            "rows",
            type=(click.Choice([*_ROWS]), str),
            multiple=True,
            metavar="ROW CARDS",
            help="All cards of a row as they were: top, middle or bottom; can be repeated.",
        ),
        click.option(
            "--seat",
            "seats",
            multiple=True,
            metavar="SEAT",
            help="Whose row, by seat or player; once, or for each --row.",
        ),
        click.option("--hand", type=click.IntRange(1), metavar="NUMBER", help="The hand of --row."),
    ):
        typed = option(typed)
    return typed


def amendment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that amend a round's document, and pass them as one `Amendment`."""

    @wraps(command)
    def with_amendment(
        *args: Any,
        patch: str | None,
        document: str | None,
        edit: bool,
        typed: TypedRows,
        irregular: str | None,
        **options: Any,
    ) -> None:
        command(*args, amendment=Amendment(patch, document, edit, typed, irregular), **options)

    amended: Callable[..., None] = with_amendment
    for option in (
        click.option("--irregular", type=click.Choice(["accept"]), help="Accept irregular hands as played."),
        click.option("--edit", is_flag=True, help="Open the round's document in $EDITOR."),
        click.option(
            "--document",
            metavar="FILE",
            help="A file with the amended document of the round.",
            shell_complete=complete_files,
        ),
        patch_option,
    ):
        amended = option(amended)
    return row_options(amended)


def _edit(client: Client, round_id: str) -> Document | None:
    """Open a round's document in an editor. None if it is unchanged."""
    text = json.dumps(client.get_document(round_id), ensure_ascii=False, indent=2)
    edited = click.edit(text + "\n", extension=".json")
    return None if edited is None else read_edited(edited)
