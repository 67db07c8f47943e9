"""Reads the ledger of a club, as JSON and as CSV, and adds it up."""

import csv
import io
from collections import Counter
from typing import Any

from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import HIGH, LOW, MID, Document, correct_round, document_of, hand, post_document, walk

CSV = {"Accept": "text/csv"}


def ledger(api: Api, query: str = "") -> list[Document]:
    return [line for page in walk(api, f"/v1/ledger{query}") for line in page["lines"]]


def read_csv(api: Api, query: str = "") -> list[dict[str, str]]:
    response = api.request("GET", f"/v1/ledger{query}", headers=CSV)
    assert response.status == 200, response
    return list(csv.DictReader(io.StringIO(response.text, newline=""), strict=True))


def posted(api: Api, **document: Any) -> ApiResponse:
    response = post_document(api, document_of(**document))
    assert response.status == 201, response
    return response


def owed(lines: list[Document]) -> dict[str, int]:
    """What everyone is owed or, below zero, owes by the lines."""
    sums: Counter[str] = Counter()
    for line in lines:
        sign = -1 if line["kind"] == "payment" else 1
        sums[line["payee"]] += sign * line["amount"]
        sums[line["payer"]] -= sign * line["amount"]
    return dict(sums)


def exchange_seats(api: Api, round_id: str) -> None:
    """Correct the second hand, which ann did not win by 12 points, but cyd."""
    patch = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, {1: LOW, 2: MID, 3: HIGH})}]
    corrected = correct_round(api, round_id, {"reason": "seats exchanged", "patch": patch})
    assert corrected.status == 201, corrected
