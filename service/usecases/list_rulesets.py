from scoring.presets import PRESETS
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import rulesets


def list_rulesets(transaction: Transaction | None) -> list[Ruleset]:
    """List the presets and, in a transaction, the newest version of each of the club's own rulesets."""
    stored = [] if transaction is None else rulesets.list_all(transaction)
    newest = {ruleset.name: ruleset for ruleset in stored if ruleset.name not in PRESETS}
    return [*PRESETS.values(), *newest.values()]
