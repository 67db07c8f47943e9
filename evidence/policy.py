"""Trust policies of C2SP `tlog-policy`: which logs and witnesses somebody trusts, and how many must have signed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeVar

from evidence.cosignatures import Cosignature, CosignerKey, cosignatures_of
from evidence.errors import EvidenceError, refuse
from evidence.keys import VerifierKey
from evidence.notes import SignedNote

MOST_BYTES: Final = 1_000_000
NONE: Final = "none"
_FORBIDDEN: Final = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_Key = TypeVar("_Key", bound=VerifierKey)
_SPACE: Final = re.compile(r"[ \t]+")
_THRESHOLD: Final = re.compile(r"[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of witnesses and groups, of which a number must have signed."""

    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """
    A trust policy.

    Attributes:
        logs: the keys of logs; a checkpoint must be signed by one of them, unless there are none.
        witnesses: the keys of witnesses, by their names in the file.
        groups: by their names.
        quorum: the witness or the group that must have signed; `none` if nobody must.
        urls: where witnesses accept checkpoints, by their names in the file, of those that have a URL.
    """

    logs: tuple[VerifierKey, ...]
    witnesses: Mapping[str, CosignerKey]
    groups: Mapping[str, Group]
    quorum: str
    urls: Mapping[str, str] = field(default_factory=dict)

    def cosignatures(self, note: SignedNote) -> list[Cosignature]:
        """Return the valid cosignatures of the policy's witnesses."""
        return cosignatures_of(note, frozenset(self.witnesses.values()))

    def is_met_by(self, cosignatures: Sequence[Cosignature]) -> bool:
        """Return whether cosignatures suffice for the quorum."""
        return self.quorum == NONE or self._has_signed(self.quorum, {each.key for each in cosignatures})

    def _has_signed(self, name: str, keys: set[VerifierKey]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return self.witnesses[name] in keys
        return sum(self._has_signed(member, keys) for member in group.members) >= group.threshold


def read_policy(written: bytes) -> Policy:
    r"""
    Parse a policy file.

    >>> key = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
    >>> read_policy(f"# one friend\nwitness friend {key}\nquorum friend\n".encode()).quorum
    'friend'

    Raises:
        EvidenceError: a line is invalid, or there is not exactly one quorum.
    """
    if len(written) > MOST_BYTES:
        refuse("policy-unreadable", f"the policy is too long; expected at most {MOST_BYTES} bytes")
    forbidden = _FORBIDDEN.search(written)
    if forbidden:
        refuse("policy-unreadable", f"the policy has the octet {forbidden[0][0]:#04x}, which is not allowed")
    reader = _Reader()
    # Names are octets to the format; Latin-1 has one character for each.
    for number, line in enumerate(written.decode("latin-1").split("\n"), 1):
        words = _SPACE.split(line.strip(" \t"))
        if words == [""] or words[0].startswith("#"):
            continue
        reader.read(number, words)
    return reader.finish()


@dataclass(slots=True)
class _Reader:
    """The lines read so far."""

    logs: list[VerifierKey] = field(default_factory=list)
    witnesses: dict[str, CosignerKey] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)
    urls: dict[str, str] = field(default_factory=dict)
    quorum: str | None = None
    number: int = 0

    def read(self, number: int, words: Sequence[str]) -> None:
        self.number = number
        readers: dict[str, Callable[..., None]] = {
            "log": self._log,
            "witness": self._witness,
            "group": self._group,
            "quorum": self._quorum,
        }
        keyword, *rest = words
        if keyword not in readers:
            self._refuse(f"`{keyword[:60]}` is not a keyword; expected log, witness, group or quorum")
        readers[keyword](rest)

    def finish(self) -> Policy:
        if self.quorum is None:
            refuse("policy-unreadable", "the policy has no quorum; expected exactly one line `quorum NAME`")
        return Policy(tuple(self.logs), self.witnesses, self.groups, self.quorum, self.urls)

    def _log(self, words: Sequence[str]) -> None:
        if len(words) not in (1, 2):
            self._refuse("expected `log KEY [URL]`")
        key = self._key(VerifierKey, words[0])
        if key.public in {each.public for each in self.logs}:
            self._refuse("the public key of the log is already in the policy")
        self.logs.append(key)

    def _witness(self, words: Sequence[str]) -> None:
        if len(words) not in (2, 3):
            self._refuse("expected `witness NAME KEY [URL]`")
        name = self._new_name(words[0])
        key = self._key(CosignerKey, words[1])
        if key.public in {each.public for each in self.witnesses.values()}:
            self._refuse("the public key of the witness is already in the policy")
        self.witnesses[name] = key
        if len(words) == 3:
            self.urls[name] = words[2]

    def _group(self, words: Sequence[str]) -> None:
        if len(words) < 3:
            self._refuse("expected `group NAME all|any|NUMBER MEMBER...`")
        name, threshold, *members = words
        self._new_name(name)
        for member in members:
            self._defined(member)
            if member in self.members:
                self._refuse(f"`{member[:60]}` is a member already; expected each name in one group")
            self.members.add(member)
        self.groups[name] = Group(self._threshold(threshold, len(members)), tuple(members))

    def _threshold(self, word: str, members: int) -> int:
        named = {"all": members, "any": 1}
        if word in named:
            return named[word]
        if not _THRESHOLD.fullmatch(word) or int(word) > members:
            self._refuse(f"the threshold is `{word[:60]}`; expected all, any, or 1 to {members}")
        return int(word)

    def _quorum(self, words: Sequence[str]) -> None:
        if len(words) != 1:
            self._refuse("expected `quorum NAME`")
        if self.quorum is not None:
            self._refuse("the policy has a second quorum; expected exactly one")
        if words[0] != NONE:
            self._defined(words[0])
        self.quorum = words[0]

    def _new_name(self, name: str) -> str:
        if name == NONE or name in self.witnesses or name in self.groups:
            self._refuse(f"the name `{name[:60]}` is already in use")
        return name

    def _defined(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            self._refuse(f"`{name[:60]}` is not defined; expected the name of a witness or group of an earlier line")

    def _key(self, kind: type[_Key], word: str) -> _Key:
        try:
            return kind.read(word.encode("latin-1").decode())
        except (EvidenceError, UnicodeDecodeError) as error:
            self._refuse(str(error))

    def _refuse(self, detail: str) -> NoReturn:
        refuse("policy-unreadable", f"line {self.number} of the policy: {detail}")
