from schemas.fields import show
from scoring.ruleset import Ruleset
from service.database import Transaction
from service.errors import NotFound
from service.usecases.find_ruleset import find_ruleset


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
