"""What a sender expects an answer to be: checked, and never believed."""

from collections.abc import Iterator, Mapping

from schemas.fields import show
from scoring.errors import Mistake, Path


def find_differences(expected: object, answer: object, path: Path = ("expected",)) -> Iterator[Mistake]:
    """
    Compare what is expected, a part of the answer's own shape, with the answer.

    >>> [mistake.detail for mistake in find_differences({"stacks": {"1": 9}}, {"stacks": {"1": 8}, "exchanges": []})]
    ['9 is expected; the answer is 8']
    """
    if isinstance(expected, Mapping) and isinstance(answer, Mapping):
        for key, inner in expected.items():
            if key in answer:
                yield from find_differences(inner, answer[key], (*path, key))
            else:
                known = ", ".join(map(str, answer))
                yield Mistake("expected-unknown", (*path, key), f"is not part of the answer; it has {known}")
    elif isinstance(expected, list) and isinstance(answer, list):
        if len(expected) != len(answer):
            detail = f"{len(expected)} items are expected; the answer has {len(answer)}"
            yield Mistake("expected-differs", path, detail)
        for index, (inner, given) in enumerate(zip(expected, answer, strict=False)):
            yield from find_differences(inner, given, (*path, index))
    elif type(expected) is bool or type(answer) is bool:
        if expected is not answer:
            yield _differs(expected, answer, path)
    elif expected != answer:
        yield _differs(expected, answer, path)


def _differs(expected: object, answer: object, path: Path) -> Mistake:
    return Mistake("expected-differs", path, f"{show(expected)} is expected; the answer is {show(answer)}")
