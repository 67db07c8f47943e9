"""Rulesets."""

from typing import Any

from flask import Response

from schemas.rulesets import RulesetPageSchema, RulesetSchema, dump_listed_ruleset, dump_ruleset
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_transaction, transaction_if_any
from service.http.resource import Resource, decoded_body
from service.http.responses import LOCATION, REPLAYED, created_response, json_response, respond_page
from service.rulesets.actions import add_ruleset, get_ruleset, list_rulesets

rulesets = Resource("rulesets", __name__, description="The presets, and a club's custom rulesets.")


@rulesets.route("/v1/rulesets", methods=["GET"])
@rulesets.operation("list_rulesets", KeyScope.READ, by_link=Reach.TABLE, needs_key=False)
@rulesets.response(200, RulesetPageSchema)
def get_rulesets() -> Response:
    """List the presets and, with a key, the club's custom rulesets, each in its newest version."""
    versions = list_rulesets(transaction_if_any())
    return respond_page("rulesets", [dump_listed_ruleset(ruleset) for ruleset in versions])


@rulesets.route("/v1/rulesets", methods=["POST"])
@rulesets.operation("add_ruleset", KeyScope.TABLES, records=True)
@rulesets.arguments(RulesetSchema)
@rulesets.response(201, RulesetSchema, headers=LOCATION | REPLAYED)
def post_ruleset(_: Any) -> Response:
    """
    Add a ruleset, or a new version of one.

    The version can be omitted. The same rules sent again return the stored ruleset.
    """
    ruleset, is_replay = add_ruleset(current_transaction(), decoded_body())
    return created_response(dump_ruleset(ruleset), f"/v1/rulesets/{ruleset}", is_replay=is_replay)


@rulesets.route("/v1/rulesets/<string:reference>", methods=["GET"])
@rulesets.operation("get_ruleset", KeyScope.READ, by_link=Reach.TABLE, needs_key=False)
@rulesets.response(200, RulesetSchema)
def get_one_ruleset(reference: str) -> Response:
    """Return a ruleset by name (newest version) or as `name@version`."""
    return json_response(dump_ruleset(get_ruleset(transaction_if_any(), reference)))
