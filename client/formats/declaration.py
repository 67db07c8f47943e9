"""What a module of a format declares."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from client.offline.file_hands import Part


@dataclass(frozen=True, slots=True)
class Format:
    """
    A format of files, with what is read of it.

    Attributes:
        name: the name that commands take.
        title: what it is, in a few words.
        reads: what is read.
        loses: what the file has and a round document does not.
        unknown: what the file cannot know, which has to be given.
        detect: whether a file is of this format, by its content.
        read: the parts of a file.
    """

    name: str
    title: str
    reads: str
    loses: str
    unknown: str
    detect: Callable[[bytes], bool]
    read: Callable[[bytes], Iterator[Part]]
