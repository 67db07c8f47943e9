"""Messages and docstrings are plain, standard English: replaced phrases and verbs do not come back."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("scoring", "schemas", "service", "client")
REPLACED: Final = {
    r"\b(is|are) right\b": "expected X",
    r"\bis missing; it must be given\b": "is required",
    r"\bit must be (given|like|a whole number)\b": "expected X",
    r"\bleave it out\b": "omit it",
    r"\bhas not the shape\b": "validation failed",
    r"\bcannot be like this\b": "invalid round",
    r"\b[Tt]here is no such\b": "not found",
    r"\b[Tt]he hand cannot be\b": "invalid hand",
    r"\b[Tt]hat cannot be done here\b": "method not allowed",
    r"\b[Tt]he key does not open this\b": "insufficient scope",
    r"\b[Tt]he body is of another kind\b": "unsupported media type",
    r"\bdid not come whole\b": "incomplete request",
    r"\btakes no such step\b": "invalid dispute transition",
    r"\b(came|comes) to\b": "result, score",
    r"\b[Nn]obody (pays|owes) anybody\b": "no payments",
    r"\bopens? nothing any more\b": "is revoked",
    r"\bin front of (him|them)\b": "stack",
}
"""The phrases that no message has, as regular expressions, and what to write instead."""


NOT_DOCSTRING_VERBS: Final = frozenset({"Say", "Give", "Let", "Keep", "Name", "Make", "Put", "Tell", "Hear"})
"""Verbs that do not say what a function does; write Return, Build, Insert, Lock, Validate, Store, Send …"""
NOT_VERBS: Final = frozenset(
    {"A", "An", "How", "Its", "No", "Nothing", "Of", "The", "What", "Where", "Whether", "Which", "Who", "Whoever"}
)
"""First words of docstrings without a verb; only properties have such docstrings."""
DOCUMENTED: Final = (*SOURCES, "evidence", "migrations")
NOT_IN_TEST_NAMES: Final = re.compile(
    "_(anew|aside|begun|forgets|gone|he|heard|hears|him|his|kept|lets?|said|say|saying|says|somebody|tells?|told|unsaid"
    "|whoever)(?=_|$)"
)
"""Words that the names of tests do not have; write stored, reported, shown, refused, left, busted, they …"""
NOT_IN_CODES: Final = frozenset({"aside", "beyond", "gone", "kept", "said", "sayer", "stands", "told"})
"""Words that the codes of errors do not have."""


def read_messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module except docstrings, each with its line; values in f-strings are `{}`."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        # A string that is a statement is a docstring, of a function or of the name before it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            skipped.update(part for part in node.values if isinstance(part, ast.Constant))
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.lineno, node.value


@cache
def messages() -> list[tuple[Path, int, str]]:
    return [(path, *found) for path in sources(SOURCES) for found in read_messages(path.read_text(encoding="utf-8"))]


@cache
def docstrings() -> list[tuple[Path, int, str]]:
    return [
        (path, *found) for path in sources(DOCUMENTED) for found in read_docstrings(path.read_text(encoding="utf-8"))
    ]


def sources(folders: tuple[str, ...]) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize("phrase", REPLACED)
def test_no_message_has_a_replaced_phrase(phrase: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message!r}; write {REPLACED[phrase]!r}"
        for path, line, message in messages()
        if re.search(phrase, message)
    ]
    assert not found, "\n".join(found)


def read_docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstring of each function of a module except properties, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
            docstring = ast.get_docstring(node)
            if docstring and not is_property:
                yield node.lineno, docstring


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {docstring.splitlines()[0]!r}"
        for path, line, docstring in docstrings()
        if docstring.split(maxsplit=1)[0].strip(".,:;`") in NOT_DOCSTRING_VERBS | NOT_VERBS
    ]
    assert len(docstrings()) > 500
    assert not wrong, "\n".join(wrong)


def test_names_of_tests_have_no_replaced_words() -> None:
    names = [
        (path, name)
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    wrong = [f"{path.relative_to(ROOT)}: {name}" for path, name in names if NOT_IN_TEST_NAMES.search(name)]
    assert len(names) > 1500
    assert not wrong, "\n".join(wrong)


def test_codes_of_errors_have_no_replaced_words() -> None:
    codes = {
        (path, message)
        for path, _, message in messages()
        if re.fullmatch(r"[a-z]+(-[a-z]+)+", message) and NOT_IN_CODES & set(message.split("-"))
    }
    assert not codes, codes


def test_docstrings_are_those_of_functions() -> None:
    source = (
        'class C:\n    """A class."""\n    def f(self):\n        """Say it."""\n'
        '    @property\n    def p(self):\n        """The property."""\n'
    )
    assert list(read_docstrings(source)) == [(3, "Say it.")]


def test_messages_are_string_literals_without_docstrings() -> None:
    source = (
        '"""A module."""\nNAME = "a"\n"""A name."""\ndef f(x):\n    """A function."""\n    return f"{x} is right"\n'
    )
    assert list(read_messages(source)) == [(6, "{} is right"), (2, "a")]
