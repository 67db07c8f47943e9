"""Find, list and add rulesets."""

import re
from dataclasses import replace
from typing import Final

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import RulesetAdded
from schemas.base import show
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
    Find a preset or, in a transaction, a custom ruleset of the club, by name (newest version) or `name@version`.

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
    Find the ruleset of a request.

    Raises:
        RulesetUnknown: the ruleset does not exist; the mistake is at `path`.
    """
    ruleset = find_ruleset(transaction, reference)
    if ruleset is None:
        detail = f"there is no ruleset {show(reference)}; GET /v1/rulesets lists the rulesets"
        raise RulesetUnknown(detail, (Mistake("ruleset-unknown", path or ("ruleset",), detail),))
    return ruleset


def get_ruleset(transaction: Transaction | None, reference: str) -> Ruleset:
    """
    Return a ruleset by name or `name@version`.

    In a transaction of one table, custom rulesets that the table does not use are not visible.

    Raises:
        NotFound: the ruleset does not exist.
    """
    ruleset = find_ruleset(transaction, reference)
    if ruleset is None or not _is_visible(ruleset, transaction):
        raise NotFound(f"there is no ruleset {show(reference)}; GET /v1/rulesets lists the rulesets")
    return ruleset


def _is_visible(ruleset: Ruleset, transaction: Transaction | None) -> bool:
    if transaction is None or ruleset.name in PRESETS:
        return True
    used = rulesets.list_used(transaction)
    return used is None or (ruleset.name, ruleset.version) in used


def list_rulesets(transaction: Transaction | None) -> list[Ruleset]:
    """
    List the presets and, in a transaction, the newest version of each custom ruleset of the club.

    In a transaction of one table, custom rulesets that the table does not use are not visible.
    """
    stored = [] if transaction is None else rulesets.list_all(transaction)
    used = None if transaction is None else rulesets.list_used(transaction)
    if used is not None:
        stored = [each for each in stored if (each.name, each.version) in used]
    newest = {ruleset.name: ruleset for ruleset in stored if ruleset.name not in PRESETS}
    return [*PRESETS.values(), *newest.values()]


def add_ruleset(transaction: Transaction, received: object) -> tuple[Ruleset, bool]:
    """
    Store a custom ruleset of the club, or a new version of one, unless the same rules are stored.

    Returns:
        The stored ruleset, and whether it was stored before.

    Raises:
        WireError, RulesetError: the ruleset is invalid.
        RulesetConflict: the name is that of a preset, or the version is not the next.
    """
    ruleset, is_stored = read_new_ruleset(transaction, received)
    if not is_stored:
        store_ruleset(transaction, ruleset)
    return ruleset, is_stored


def read_new_ruleset(transaction: Transaction, received: object) -> tuple[Ruleset, bool]:
    """
    Parse a custom ruleset, or a new version of one, as `add_ruleset` would store it.

    Returns:
        The ruleset, and whether the same rules are stored.

    Raises:
        WireError, RulesetError: the ruleset is invalid.
        RulesetConflict: the name is that of a preset, or the version is not the next.
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
        detail = f"version {ruleset.version} of {ruleset.name} is not the next version; expected {following}"
        raise _conflict("version", detail)
    return ruleset, False


def store_ruleset(transaction: Transaction, ruleset: Ruleset) -> None:
    """Store a ruleset in the club, unless it is stored, because records refer to it."""
    event = RulesetAdded(ruleset=CanonicalJson(canonical_json(dump_ruleset(ruleset))))
    rulesets.add(transaction, ruleset, event.encode())


def _conflict(place: str, detail: str) -> RulesetConflict:
    return RulesetConflict(detail, (Mistake("ruleset-conflict", (place,), detail),))
