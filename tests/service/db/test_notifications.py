"""Texts that are handed over in batches by a thread."""

from collections.abc import Collection
from threading import Event

import pytest

from service.db.notifications import Batcher


def test_texts_that_are_added_meanwhile_are_handed_over_together() -> None:
    batches: list[set[str]] = []
    is_first, may_go_on, is_second = Event(), Event(), Event()

    def receive(texts: Collection[str]) -> None:
        batches.append(set(texts))
        (is_second if is_first.is_set() else is_first).set()
        may_go_on.wait(10)

    batcher = Batcher(receive, 0, "test")
    batcher.start()
    batcher.add("a")
    assert is_first.wait(10)
    for text in "bcb":
        batcher.add(text)
    may_go_on.set()
    assert is_second.wait(10)
    batcher.stop()
    assert batches == [{"a"}, {"b", "c"}]


def test_a_stop_just_before_texts_are_taken_ends_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    batcher = Batcher(lambda texts: None, 0, "test")
    clear = batcher._has_added.clear

    def clear_after_stop() -> None:
        batcher._is_over.set()
        batcher._has_added.set()
        clear()

    monkeypatch.setattr(batcher._has_added, "clear", clear_after_stop)
    batcher.start()
    batcher.add("a")
    batcher._thread.join(10)
    assert not batcher._thread.is_alive()
