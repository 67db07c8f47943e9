from dataclasses import replace

from schemas.hands import canonical_json
from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.errors import Mistake
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.errors import RulesetConflict
from service.repository import rulesets


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
        raise _conflict("name", f"{ruleset.name} is a preset, which never changes; choose a name of your own")
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
    rulesets.add(transaction, ruleset, canonical_json(dump_ruleset(ruleset)))


def _conflict(place: str, detail: str) -> RulesetConflict:
    return RulesetConflict(detail, (Mistake("ruleset-conflict", (place,), detail),))
