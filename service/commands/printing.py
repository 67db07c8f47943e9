"""Answers of commands: aligned for people, JSON for scripts."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import click


def print_json(document: object) -> None:
    """Print a document for scripts."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings, in columns as wide as they need."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def say(sentence: str) -> None:
    """Explain on stderr, beside what scripts read."""
    click.echo(sentence, err=True)


def show_moment(moment: datetime) -> str:
    """
    Write a moment for people: to the minute, in UTC.

    >>> show_moment(datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    '2026-11-20 20:15'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"
