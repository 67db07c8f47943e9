"""Find and add rulesets."""

import re
from dataclasses import replace
from typing import Final

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import RulesetAdded
from schemas.fields import show
from schemas.game_fields import REFERENCE_PATTERN
from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.errors import Mistake
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.errors import NotFound, RulesetConflict, RulesetUnknown
from service.rulesets import queries as rulesets

_REFERENCE: Final = re.compile(REFERENCE_PATTERN, re.ASCII)


def find_ruleset(transaction: Transaction | None, reference: str) -> Ruleset | None:
    """
    Find a preset or, in a transaction, one of the club's own rulesets, by name (the newest version) or name@version.

    >>> str(find_ruleset(None, "turbo")), find_ruleset(None, "turbo@2")
    ('turbo@1', None)
    """
    if not _REFERENCE.fullmatch(reference):
        return None
    name, _, written = reference.partition("@")
    version = int(written) if written else None
    preset = PRESETS.get(name)
    if preset is not None:
        return preset if version in (None, preset.version) else None
    if transaction is None:
        return None
    return rulesets.find_newest(transaction, name) if version is None else rulesets.find(transaction, name, version)


def ruleset_named(transaction: Transaction | None, reference: str, *path: str) -> Ruleset:
    """
    Find a ruleset that a request names.

    Raises:
        RulesetUnknown: there is none; the mistake is at `path`.
    """
    found = find_ruleset(transaction, reference)
    if found is None:
        detail = f"there is no ruleset {show(reference)}; GET /v1/rulesets lists those there are"
        raise RulesetUnknown(detail, (Mistake("ruleset-unknown", path or ("ruleset",), detail),))
    return found


def get_ruleset(transaction: Transaction | None, reference: str) -> Ruleset:
    """
    Show a ruleset by name or name@version.

    Raises:
        NotFound: there is none.
    """
    found = find_ruleset(transaction, reference)
    if found is None:
        raise NotFound(f"there is no ruleset {show(reference)}; GET /v1/rulesets lists those there are")
    return found


def list_rulesets(transaction: Transaction | None) -> list[Ruleset]:
    """List the presets and, in a transaction, the newest version of each of the club's own rulesets."""
    stored = [] if transaction is None else rulesets.list_all(transaction)
    newest = {ruleset.name: ruleset for ruleset in stored if ruleset.name not in PRESETS}
    return [*PRESETS.values(), *newest.values()]


def add_ruleset(transaction: Transaction, received: object) -> tuple[Ruleset, bool]:
    """
    Store a club's own ruleset, or a new version of one; the same rules again are answered as they are stored.

    Returns:
        The ruleset as it is stored, and whether it had been before.

    Raises:
        WireError, RulesetError: it is none.
        RulesetConflict: the name is a preset's, or the version is not the next.
    """
    names_version = isinstance(received, dict) and received.get("version") is not None
    ruleset = load_ruleset(received, version=1)
    if ruleset.name in PRESETS:
        raise _conflict("name", f"{ruleset.name} is a preset, which never changes; expected another name")
    newest = rulesets.find_newest(transaction, ruleset.name)
    if newest is not None and not names_version:
        if replace(ruleset, version=newest.version) == newest:
            return newest, True
        ruleset = replace(ruleset, version=newest.version + 1)
    if rulesets.find(transaction, ruleset.name, ruleset.version) == ruleset:
        return ruleset, True
    following = newest.version + 1 if newest else 1
    if ruleset.version != following:
        detail = f"version {ruleset.version} of {ruleset.name} is given; the next is {following}, and none ever changes"
        raise _conflict("version", detail)
    keep_ruleset(transaction, ruleset)
    return ruleset, False


def keep_ruleset(transaction: Transaction, ruleset: Ruleset) -> None:
    """Keep a ruleset beside what is played by it; one that is there already costs nothing."""
    event = RulesetAdded(ruleset=CanonicalJson(canonical_json(dump_ruleset(ruleset))))
    rulesets.add(transaction, ruleset, event.encode())


def _conflict(place: str, detail: str) -> RulesetConflict:
    return RulesetConflict(detail, (Mistake("ruleset-conflict", (place,), detail),))
