"""The columns of payments between players."""

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from client.render.console import Column
from client.render.format import format_minute, show_money

Document = Mapping[str, Any]


def _show_amount(paid: Document) -> str:
    return "" if paid["amount"] is None else show_money(paid["amount"], paid["currency"], paid["currency_digits"])


PAYMENTS: Final = (
    Column("played (UTC)", lambda paid: format_minute(paid["played_at"])),
    Column("table", "table_name"),
    Column("round", lambda paid: paid["reference"] or paid["round"]),
    Column("hand", "hand", is_number=True),
    Column("payer", "payer"),
    Column("payee", "payee"),
    Column("due", "due", is_number=True),
    Column("paid", "paid", is_number=True),
    Column("limited by", lambda paid: (paid["limited_by"] or "").replace("_", " ")),
    Column("amount", _show_amount, is_number=True),
    Column("", lambda paid: Text("" if paid["final"] else "not final", style="dim")),
)
