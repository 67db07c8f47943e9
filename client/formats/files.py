"""Read a file of another tool, and make rounds of its hands."""

from dataclasses import dataclass
from typing import Final

from client.errors import UnreadableError
from client.files import open_bytes
from client.formats.declaration import Format
from client.formats.registry import find_format, get_format
from client.offline.file_hands import FileBalance, FileHand, Unread
from client.offline.file_rounds import FileOptions, build_rounds
from client.offline.score import Document

_MOST_BYTES: Final = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """The content of a file of another tool."""

    format: Format
    hands: list[FileHand]
    balances: list[FileBalance]
    unread: list[Unread]


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds that were made of a file's hands, and the hands that were refused."""

    documents: list[Document]
    refused: list[Unread]


def read_file(name: str, format_name: str | None) -> ForeignFile:
    """
    Read a file of another tool, of the format named or else of the one that its content shows.

    Raises:
        UnreadableError: the file does not exist, is too large, or its format is not known.
    """
    with open_bytes(name) as opened:
        content = opened.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise UnreadableError(f"{name}: the file has more than 512 MB; expected a smaller one, for example one a month")
    form = find_format(content, name) if format_name is None else get_format(format_name)
    read = ForeignFile(form, [], [], [])
    for part in form.read(content):
        if isinstance(part, FileHand):
            read.hands.append(part)
        elif isinstance(part, FileBalance):
            read.balances.append(part)
        else:
            read.unread.append(part)
    return read


def build_documents(read: ForeignFile, options: FileOptions) -> Rounds:
    """Return the rounds of a file, and the hands that are in none of them."""
    rounds = Rounds([], [])
    for part in build_rounds(read.hands, options):
        if isinstance(part, Unread):
            rounds.refused.append(part)
        else:
            rounds.documents.append(part)
    return rounds
