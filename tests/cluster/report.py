"""The report of a run: one line for each fault."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tests.cluster.debian_root import cache_folder
from tests.cluster.recorder import Outcome, Request


@dataclass(frozen=True)
class Result:
    """What one fault did."""

    fault: str
    access: str
    seconds: float
    """Seconds without an acknowledged change."""
    stored: int
    refused: int
    unknown: int
    unanswered: int
    lost: int = 0
    """Findings of the comparison of what is stored with what was answered."""


def build_result(fault: str, access: str, requests: Sequence[Request], seconds: float) -> Result:
    """Build the result of a fault; `requests` as they were before unknown outcomes were settled."""
    counted = [request.outcome for request in requests]
    return Result(
        fault,
        access,
        round(seconds, 1),
        counted.count(Outcome.STORED),
        counted.count(Outcome.NOT_STORED),
        counted.count(Outcome.UNKNOWN),
        counted.count(Outcome.UNANSWERED),
    )


def write_results(results: Sequence[Result]) -> None:
    """
    Write the results to the cache folder, as JSON and as a table for the docs.

    Later runs of the same fault replace earlier ones.
    """
    folder = cache_folder()
    stored = folder / "results.json"
    earlier = [Result(**each) for each in json.loads(stored.read_text())] if stored.exists() else []
    merged = {(each.fault, each.access): each for each in (*earlier, *results)}
    stored.write_text(json.dumps([asdict(each) for each in merged.values()], indent=1))
    (folder / "report.md").write_text(render_table([*merged.values()]))


def render_table(results: Sequence[Result]) -> str:
    """
    Render results as a Markdown table.

    >>> print(render_table([Result("web host killed", "libpq", 0.3, 900, 2, 1, 0, 0)]))
    | fault | access | seconds without changes | acknowledged | 503 | 502 or 504 | no response | lost |
    |---|---|---|---|---|---|---|---|
    | web host killed | libpq | 0.3 | 900 | 2 | 1 | 0 | 0 |
    <BLANKLINE>
    """
    head = "| fault | access | seconds without changes | acknowledged | 503 | 502 or 504 | no response | lost |"
    rows = [f"| {' | '.join(str(value) for value in asdict(each).values())} |" for each in results]
    return "\n".join([head, f"|{'---|' * 8}", *rows, ""])
