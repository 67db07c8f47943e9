"""Rulesets by the names that clients use."""

import re
from typing import Final

from schemas.fields import show
from schemas.rulesets import REFERENCE_PATTERN
from scoring.errors import Mistake
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.errors import RulesetUnknown
from service.repository import rulesets

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
