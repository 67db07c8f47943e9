"""What the service has counted."""

from flask import Response

from service.api.resource import Resource
from service.metrics.counters import MEDIA_TYPE, show_metrics

metrics = Resource("metrics", __name__, description="What the service has counted, for Prometheus.")


@metrics.route("/metrics", methods=["GET"])
@metrics.operation("get_metrics", needs_key=False, asks_database=False)
@metrics.response(200, {"type": "string"}, content_type="text/plain", description="Prometheus' text format.")
def get_metrics() -> Response:
    """
    Show what all workers together have counted since the start.

    Requests, times, hands and problems, by operation; nothing of any club.
    """
    return Response(show_metrics(), content_type=MEDIA_TYPE)
