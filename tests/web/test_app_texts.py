"""Every text of the app is a message of the catalogue, and is found by the tool that extracts messages."""

import re
from pathlib import Path

from babel.messages.extract import extract

from tests.support.browser.app_texts import ROOT, SOURCES, AppMessage, find_app_texts, find_texts, list_sources

KEYWORDS = {
    "gettext": None,
    "gettextNodes": (1,),
    "ngettext": (1, 2),
    "ngettextNodes": (1, 2),
    "pgettext": ((1, "c"), 2),
}
TECHNICAL = {
    # A media query, selectors, caches and messages of a worker, a cookie, a header, and the code of a card.
    "(prefers-reduced-motion: reduce)",
    "button, input, textarea, select, a",
    "input, textarea, select, dialog",
    "shell \ufffc",
    "rules \ufffc",
    "cache rules",
    "language=\ufffc; path=/; max-age=\ufffc; samesite=lax",
    "Bearer \ufffc",
    "A\ufffc",
    # The name of the product.
    "Tablestakes",
    # A reason that is recorded: the same in every language, so that two devices record the same request.
    "Ticked by mistake",
}
PYTHON = ("web/src/rules/",)
"""Messages of the worker for developers, and its Python code."""

EXAMPLE = """
import { gettext, gettextNodes, ngettext, pgettext } from "./gettext.js";
const EARLY = gettext("Too early");
export function Example({ count, name }: { count: number; name: string }) {
  const label = count > 0 ? `${name} has won` : gettext("Nobody has won");
  throw new Error("not shown to anybody");
  return (
    <section class="panel wide" aria-label="Players" title={count > 1 ? gettext("Many") : "One"}>
      Shown <b>{name}</b> {count > 0 && "Positive"}
      {gettextNodes("%(who)s pays", { who: <b>{pgettext("row", "top")}</b> })}
      {ngettext("%(count)s card", "%(count)s cards", count)} {gettext(label)}
    </section>
  );
}
"""


def test_the_app_has_no_text_that_is_not_a_message() -> None:
    _, texts = find_app_texts()
    shown = [text for text in texts if text.text not in TECHNICAL and not text.place.startswith(PYTHON)]
    assert shown == []


def test_every_technical_string_is_in_the_app() -> None:
    _, texts = find_app_texts()
    assert {text.text for text in texts} >= TECHNICAL


def test_texts_of_all_kinds_are_found(tmp_path: Path) -> None:
    example = tmp_path / "example.tsx"
    example.write_text(EXAMPLE, encoding="utf-8")
    messages, texts = find_texts((example,))
    assert {text.text for text in texts} == {
        'translated once: gettext("Too early")',
        "\ufffc has won",
        "Players",
        "One",
        "Shown",
        "Positive",
        "not literal: gettext(label)",
    }
    assert [(each.context, each.ids) for each in messages] == [
        (None, ("Too early",)),
        (None, ("Nobody has won",)),
        (None, ("Many",)),
        (None, ("%(who)s pays",)),
        ("row", ("top",)),
        (None, ("%(count)s card", "%(count)s cards")),
    ]


def extract_messages(path: Path) -> set[tuple[str | None, tuple[str, ...]]]:
    with path.open("rb") as file:
        extracted = extract("javascript", file, keywords=KEYWORDS)
        return {(context, (ids,) if isinstance(ids, str) else tuple(ids)) for _, ids, _, context in extracted}


def test_the_extraction_finds_every_message_of_the_app() -> None:
    messages, _ = find_app_texts()
    assert len(messages) > 250
    by_file: dict[str, list[AppMessage]] = {}
    for message in messages:
        by_file.setdefault(message.place.rpartition(":")[0], []).append(message)
    lost = []
    for name, expected in by_file.items():
        extracted = extract_messages(ROOT / name)
        lost += [message for message in expected if (message.context, message.ids) not in extracted]
    assert lost == []


def test_a_message_has_the_same_placeholders_in_the_singular_and_the_plural() -> None:
    messages, _ = find_app_texts()
    plurals = [message for message in messages if len(message.ids) == 2]
    assert len(plurals) > 5
    for message in plurals:
        one, many = (set(re.findall(r"%\((\w+)\)s", text)) - {"count"} for text in message.ids)
        assert one == many, message


def test_all_sources_of_the_pages_are_read() -> None:
    files = {str(path.relative_to(SOURCES)) for path in list_sources()}
    assert {"board/app.tsx", "scorekeeper/app.tsx", "api/outbox.ts", "worker/sw.ts"} <= files
    assert not any("console" in name or ".test." in name for name in files)
