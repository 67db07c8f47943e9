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
    _claim_payments(recorder)
    charging = {"player": "ann", "unit": "EUR", "amount": 200, "reason": "the room", "reference": "room-1"}
    charge = recorder.record("record_charge", {}, {**charging, "round": round_id})
    recorder.record("reverse_charge", {"charge_id": charge["id"]}, {"reason": "the first evening is free"})
    posted = recorder.call("list_ledger", {"kind": "payment", "unit": "EUR", "reference": "cash-2"})["lines"][0]
    recorder.call("erase_texts", {"record_id": charge["id"]})
    listed = recorder.call("list_ledger", {"posted_before": posted["posted_at"], "round": round_id, "limit": 1})
    recorder.call("list_ledger", {"posted_from": posted["posted_at"], "cursor": next_cursor(listed)})
    recorder.call("get_balances", {"player": "ann", "unit": "EUR", "table": table, "as_of": posted["posted_at"]})


def _claim_payments(recorder: Recorder) -> None:
    """Bob claims to have paid ann three times: she receives one payment, and he made a mistake in another."""
    claiming = {"payer": "bob", "payee": "ann", "unit": "EUR", "amount": 100, "reference": "claim-1"}
    received = recorder.record("claim_payment", {}, claiming)
    recorder.record("confirm_payment_claim", {"payment_claim_id": received["id"]}, None)
    in_claim = {"payment_claim_id": received["id"]}
    recorder.refuse("payment-conflict", "decline_payment_claim", in_claim, {"reason": "not received"})
    missing = recorder.call("claim_payment", {}, {**claiming, "reference": "claim-2"})
    recorder.record("decline_payment_claim", {"payment_claim_id": missing["id"]}, {"reason": "not received"})
    mistaken = recorder.call("claim_payment", {}, {**claiming, "amount": 900, "reference": "claim-3"})
    recorder.record("withdraw_payment_claim", {"payment_claim_id": mistaken["id"]}, None)
    listed = recorder.call("list_payment_claims", {"player": "bob", "limit": 1})
    recorder.call("list_payment_claims", {"state": "declined", "cursor": next_cursor(listed)})
