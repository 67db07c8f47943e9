"""The web application: its parts, put together."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from flask import Flask, Response

from service.api.checkpoints import checkpoints
from service.api.corrections import corrections
from service.api.disputes import disputes
from service.api.documents import documents
from service.api.events import events
from service.api.explanations import explanations
from service.api.exports import exports
from service.api.hands import hands
from service.api.health import health
from service.api.imports import imports
from service.api.keys import keys
from service.api.links import links
from service.api.metrics import metrics
from service.api.observing import observe_requests
from service.api.pacing import pace_requests
from service.api.players import PlayerConverter, players
from service.api.problems import register_error_handlers
from service.api.recomputations import recomputations
from service.api.rounds import rounds
from service.api.rulesets import rulesets
from service.api.safety import keep_answers_safe
from service.api.scores import scores
from service.api.tables import tables
from service.config import Config
from service.database import Database
from service.openapi import describe_api
from service.tasks import announcer
from service.web.pages import pages

MOST_BYTES = 1024 * 1024
"""The largest body of a request, but for those that are read as they come."""


class Application(Flask):
    """The web application. No view of it is a coroutine, for which Flask would look six times in every request."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Take every function as it is."""
        return func

    def make_default_options_response(self) -> Response:
        """Say which methods an address knows, and nothing else."""
        says = super().make_default_options_response()
        says.status_code = HTTPStatus.NO_CONTENT
        del says.headers["Content-Type"]
        return says


def create_app(config: Config) -> Flask:
    """Make the application; the database is first reached by the first request that needs it."""
    app = Application("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.url_map.converters["player"] = PlayerConverter
    app.extensions["ofc_database"] = database = Database(config.database_url)
    app.extensions["ofc_signing_key_file"] = config.signing_key_file
    # Whoever serves it says otherwise when he is asked to stop.
    app.extensions["ofc_is_stopping"] = lambda: False
    app.extensions["ofc_announce"] = announcer(config, database)
    register_error_handlers(app)
    api = describe_api(app)
    playing = (scores, rulesets, players, tables, rounds, hands, corrections, disputes, explanations, documents, links)
    for resource in (*playing, imports, exports, checkpoints, events, recomputations, keys, health, metrics):
        api.register_blueprint(resource)
    app.register_blueprint(pages)
    app.extensions["ofc_contract"] = api
    pace_requests(app, config.rate_limit, config.trusted_proxies)
    keep_answers_safe(app)
    observe_requests(app, api.spec.to_dict())
    return app
