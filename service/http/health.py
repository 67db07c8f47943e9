"""Health checks and metrics."""

from flask import Response
from werkzeug.wrappers import Response as BaseResponse

from schemas.problems import HealthSchema, ReadinessSchema
from service.compression import send_static
from service.http.authentication import database
from service.http.resource import Resource
from service.http.responses import json_response
from service.http.services import current_services
from service.metrics.counters import MEDIA_TYPE, show_metrics
from service.openapi import CONTRACT
from service.version import VERSION

health = Resource("health", __name__, description="Health checks, and the OpenAPI document.")


@health.route("/healthz", methods=["GET"])
@health.operation("check_health", needs_key=False, uses_database=False)
@health.response(200, HealthSchema)
def get_health() -> Response:
    """Return whether the process responds. The database is not queried."""
    return json_response({"status": "ok", "version": VERSION})


@health.route("/readyz", methods=["GET"])
@health.operation("check_readiness", needs_key=False, uses_database=False)
@health.response(200, ReadinessSchema)
def get_readiness() -> Response:
    """Return whether the database is ready: migrated, unaltered, writable and durable, and no commit waits long."""
    database().commits.refuse_if_waiting()
    database().check_head()
    database().check_schema()
    database().check_server(allows_data_loss=current_services().config.allow_data_loss)
    return json_response({"status": "ok"})


@health.route("/openapi.yaml", methods=["GET"])
@health.operation("get_contract", needs_key=False, uses_database=False, conditional=True)
@health.response(
    200, {"description": "The OpenAPI document."}, content_type="application/yaml", description="This document."
)
def get_contract() -> BaseResponse:
    """Return the OpenAPI document of this API, compressed with `Accept-Encoding: gzip`."""
    return send_static(CONTRACT.parent, CONTRACT.name, "application/yaml")


metrics = Resource("metrics", __name__, description="Metrics for Prometheus.")


@metrics.route("/metrics", methods=["GET"])
@metrics.operation("get_metrics", needs_key=False, uses_database=False)
@metrics.response(200, {"type": "string"}, content_type="text/plain", description="Prometheus' text format.")
def get_metrics() -> Response:
    """
    Return the metrics of all workers since the start, and what waits in all clubs together.

    Requests, durations, hands and problems, by operation; unfinished jobs, disputes, messages and checkpoints; no data
    of any club.
    """
    return Response(show_metrics(current_services().gauges), content_type=MEDIA_TYPE)
