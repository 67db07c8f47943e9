"""Cosignatures of a witness under checkpoints of a club."""

from base64 import b64encode
from typing import Any

from evidence import read_note
from evidence.cosignatures import CosigningKey
from tests.support.api_client import Api

FRIEND = CosigningKey.read("PRIVATE+KEY+friend.example/witness+ddb24fb2+BM3khTfKLCgIT/Vggm0OY4i3xXpRSXpstW85conlL/Qb")
"""The same key in every run, for the examples of the contract."""
NOW = 1_700_000_000


def cosignature_of(api: Api, address: object, key: CosigningKey, at: int = NOW) -> dict[str, Any]:
    """Return the request that adds the cosignature of a witness."""
    text = read_note(api.get(f"/v1/checkpoints/{address}").text).text.encode()
    signature = key.verifier.id + key.cosign(text, at)
    return {"witness": key.verifier.written, "signature": b64encode(signature).decode()}
