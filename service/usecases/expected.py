"""What a sender expects an answer to be."""

from collections.abc import Mapping
from typing import Any

from schemas.expected import find_differences
from service.errors import ExpectedDiffers


def check_expected(expected: Mapping[str, Any] | None, document: Mapping[str, Any]) -> None:
    """
    Compare what is expected with the answer.

    Raises:
        ExpectedDiffers: with both values at every place that differs.
    """
    mistakes = tuple(find_differences(expected, document)) if expected is not None else ()
    if mistakes:
        raise ExpectedDiffers("the answer is not what was expected; nothing was stored", mistakes)
