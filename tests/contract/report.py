"""Print what does not keep to the wording and the sizes of the project: `make report`."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.contract import sizes, words

FINDERS: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "Replaced phrases": words.find_phrases,
    "Docstrings without a verb": words.find_docstrings,
    "Replaced words in names of tests": words.find_names_of_tests,
    "Participles as names of values": words.find_names_of_values,
    "Replaced words in codes of errors": words.find_codes,
    "Large files, folders and functions": sizes.find_large,
}


def main() -> int:
    """Print the findings by subject; return 1 if there are any."""
    counted = 0
    for subject, find in FINDERS.items():
        findings = list(find())
        counted += len(findings)
        print(f"{subject}: {len(findings)}", *findings, sep="\n  ", flush=True)
    return min(counted, 1)


if __name__ == "__main__":
    sys.exit(main())
