"""Erase the texts of records."""

from typing import Final
from uuid import UUID

from flask import Response

from service.clubs.scopes import KeyScope
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import no_content
from service.texts.actions import erase_texts

texts: Final = Resource("texts", __name__, description="Texts of people about records, which can be erased.")


@texts.route("/v1/texts/<uuid:record_id>", methods=["DELETE"])
@texts.operation("erase_texts", KeyScope.ADMIN)
@texts.response(204, description="The record has no texts.")
def delete_texts(record_id: UUID) -> Response:
    """
    Erase the texts of a record: notes, reasons, claims, comments, metadata, the label of a link or the name of a key.

    The record is a table, round, hand, dispute, payment, charge, reversal, recomputation, link or key. Those of a round
    are erased with the texts of its hands and disputes, and with the request bodies that have them. The records, their
    figures and the digests in the events stay. It cannot be undone.
    """
    erase_texts(current_transaction(), record_id)
    return no_content()
