"""Whether the service lives, and whether it can work."""

from http import HTTPStatus

from flask import Response, current_app

from schemas.health import HealthSchema, ReadinessSchema
from service.api.access import database
from service.api.answers import answer
from service.api.resource import Resource
from service.version import VERSION

health = Resource("health", __name__, description="Whether the service lives, and its contract.")


@health.route("/healthz", methods=["GET"])
@health.operation("check_health", needs_key=False, asks_database=False)
@health.response(200, HealthSchema)
def get_health() -> Response:
    """Say that the process answers; the database is not asked."""
    return answer({"status": "ok", "version": VERSION})


@health.route("/readyz", methods=["GET"])
@health.operation("check_readiness", needs_key=False, asks_database=False, problems=(HTTPStatus.SERVICE_UNAVAILABLE,))
@health.response(200, ReadinessSchema)
def get_readiness() -> Response:
    """Say whether the database answers and has every migration."""
    database().check_head()
    return answer({"status": "ok"})


@health.route("/openapi.yaml", methods=["GET"])
@health.operation("get_contract", needs_key=False, asks_database=False)
@health.response(200, {"type": "object"}, content_type="application/yaml", description="This document.")
def get_contract() -> Response:
    """Show the contract of this API."""
    return Response(current_app.extensions["ofc_contract"].written, content_type="application/yaml")
