"""Make the contract as it is now the one that later changes are held against: `make accept`."""

import sys

from tests.contract.breaking import find_breaks, find_unnamed
from tests.contract.test_breaking import ACCEPTED, CHANGELOG, CONTRACT, read


def accept() -> int:
    """Take the contract over, unless it breaks clients and the changelog does not say so."""
    breaks = find_breaks(read(ACCEPTED), read(CONTRACT))
    unnamed = find_unnamed(breaks, CHANGELOG.read_text(encoding="utf-8"))
    for each in unnamed:
        sys.stderr.write(f"not named under '### Breaking': {each}\n")
    if not unnamed:
        ACCEPTED.write_text(CONTRACT.read_text(encoding="utf-8"), encoding="utf-8")
    return 1 if unnamed else 0


if __name__ == "__main__":
    sys.exit(accept())
