"""The part of the story about money: what everyone owes, what was paid, and what the room costs."""

from tests.support.examples.record_examples import Recorder, next_cursor


def settle_with_money(recorder: Recorder, table: str, round_id: str) -> None:
    """Bob pays ann by mistake and then cyd, and the house charges ann for the room."""
    recorder.call("get_balances")
    paying = {"payer": "bob", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "cash-1", "note": "cash"}
    wrong = recorder.record("record_payment", {}, {**paying, "paid_at": "2026-11-20T23:10:00Z"})
    recorder.refuse("payment-conflict", "record_payment", {}, {**paying, "amount": 300})
    in_payment = {"payment_id": wrong["id"]}
    recorder.record("reverse_payment", in_payment, {"reason": "it was for cyd"})
    recorder.call("record_payment", {}, {**paying, "payee": "cyd", "reference": "cash-2"})
    charging = {"player": "ann", "unit": "EUR", "amount": 200, "reason": "the room", "reference": "room-1"}
    charge = recorder.record("record_charge", {}, {**charging, "round": round_id})
    recorder.record("reverse_charge", {"charge_id": charge["id"]}, {"reason": "the first evening is free"})
    posted = recorder.call("list_ledger", {"kind": "payment", "unit": "EUR", "reference": "cash-2"})["lines"][0]
    recorder.call("erase_texts", {"record_id": charge["id"]})
    listed = recorder.call("list_ledger", {"posted_before": posted["posted_at"], "round": round_id, "limit": 1})
    recorder.call("list_ledger", {"posted_from": posted["posted_at"], "cursor": next_cursor(listed)})
    recorder.call("get_balances", {"player": "ann", "table": table, "as_of": posted["posted_at"]})
