"""Boards as people write them: `Qs Qd 4c`."""

from typing import Any


def cards(text: str) -> list[str]:
    return text.split()


def board(top: str, middle: str, bottom: str, seat: int = 1, **more: Any) -> dict[str, Any]:
    return {"seat": seat, "top": cards(top), "middle": cards(middle), "bottom": cards(bottom), **more}
