"""The report on wording and sizes reads messages, comments, docstrings and lines of code as they are."""

import pytest

from benchmarks.count_source import count_code_lines
from tests.contract.words import read_comments, read_docstrings, read_messages, read_names_of_values

pytestmark = pytest.mark.smoke


def test_source_lines_are_those_without_blank_lines_comments_and_docstrings() -> None:
    source = '"""A module."""\n\nX = 1\n"""A name."""\n# Why.\ndef f():\n    """Do."""\n    return (\n    X)\n'
    assert count_code_lines(source) == 4


def test_docstrings_are_those_of_functions() -> None:
    source = (
        'class C:\n    """A class."""\n    def f(self):\n        """Say it."""\n'
        '    @property\n    def p(self):\n        """The property."""\n'
    )
    assert list(read_docstrings(source)) == [(3, "Say it.")]


def test_names_of_values_are_those_of_parameters_and_variables_but_not_of_fields() -> None:
    source = (
        "class C:\n    made: int\n    def f(self, wanted):\n        for found in wanted:\n            rows = found\n"
    )
    assert sorted(read_names_of_values(source)) == [(3, "self"), (3, "wanted"), (4, "found"), (5, "rows")]


def test_comments_and_docstrings_are_read_with_their_lines() -> None:
    source = '"""A module."""\nNAME = "a"  # Why.\n"""A name."""\n'
    assert sorted(read_comments(source)) == [(1, "A module."), (2, "# Why."), (3, "A name.")]


def test_messages_are_string_literals_without_docstrings() -> None:
    source = (
        '"""A module."""\nNAME = "a"\n"""A name."""\ndef f(x):\n    """A function."""\n    return f"{x} is right"\n'
    )
    assert list(read_messages(source)) == [(6, "{} is right"), (2, "a")]
