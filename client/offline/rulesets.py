"""The rules that a document names, without a service: presets, and the operator's own."""

from collections.abc import Mapping
from typing import Any

from client.offline.refusal import refusal, refusing
from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.errors import Mistake
from scoring.presets import PRESETS
from scoring.ruleset import Ruleset

Document = dict[str, Any]


def read_ruleset(own: Document) -> Document:
    """
    Read the operator's own rules; the version may be left out.

    Raises:
        RefusedError: they have not the shape of rules, contradict each other, or take a preset's name.
    """
    with refusing():
        ruleset = load_ruleset(own, version=1)
    preset = PRESETS.get(ruleset.name)
    if preset not in (None, ruleset):
        detail = f"{ruleset.name} is a preset, which never changes; give your rules a name of their own"
        raise refusal("ruleset-invalid", Mistake("ruleset-conflict", ("name",), detail))
    return dump_ruleset(ruleset)


def find_ruleset(document: Mapping[str, Any], own: Document | None) -> Document:
    """
    Find the rules to play a document by: the operator's own where they are given, else the preset that it names.

    Raises:
        RefusedError: there is no such preset.
    """
    return own or dump_ruleset(preset_named(str(document.get("ruleset"))))


def preset_named(reference: str) -> Ruleset:
    """
    Find a preset by name or name@version.

    Raises:
        RefusedError: there is none.
    """
    for preset in PRESETS.values():
        if reference in (preset.name, str(preset)):
            return preset
    detail = f"{reference!r} is no preset; give rules of your own with --ruleset FILE. Presets: {', '.join(PRESETS)}"
    raise refusal("ruleset-unknown", Mistake("ruleset-unknown", ("ruleset",), detail))
