"""The web application."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask, Response
from werkzeug.wsgi import ClosingIterator

from service.audit_trail.views import checkpoints
from service.clubs.views import club, keys
from service.config import Config
from service.console.views import console
from service.console.views.phones import phone_links
from service.console.views.signing_in import console_links
from service.corrections.views import corrections
from service.db import Database
from service.disputes.views import disputes
from service.feed.views import events
from service.http.health import health, metrics
from service.http.page_words import add_to_templates
from service.http.problems import register_error_handlers
from service.http.rate_limits import limit_requests
from service.http.request_body import MOST_BYTES
from service.http.request_log import log_requests
from service.http.responses import add_security_headers, allow_origins
from service.http.services import Services, provide
from service.http.streams import HELD
from service.ids.views import ids
from service.imports.views import imports
from service.jobs.app import build_celery, build_sender
from service.ledger.views import ledger, payments
from service.links.views.links import links
from service.links.views.pages import link_pages
from service.openapi import describe_api
from service.pages.apps import apps
from service.pages.views import pages
from service.players.views import PlayerConverter, PlayerPartConverter, players
from service.plots.views.plots import plots
from service.proposals.views import proposals
from service.recomputations.views import recomputations
from service.rounds.views.documents import documents, exports
from service.rounds.views.explanations import explanations
from service.rounds.views.hands import hands, scores
from service.rounds.views.rounds import rounds
from service.rulesets.views import rulesets
from service.statistics.views import statistics
from service.tables.views import scorekeepers, tables
from service.texts.views import texts
from service.units.views import units
from service.webhooks.sending import AllowedAddresses
from service.webhooks.views import webhooks


class Application(Flask):
    """The Flask application."""

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request; what a streamed response holds is released, whether it is sent, replaced or fails."""
        try:
            blocks = super().wsgi_app(environ, start_response)
            return ClosingIterator(blocks, environ[HELD].close) if HELD in environ else blocks
        except BaseException:
            if HELD in environ:
                environ[HELD].close()
            raise

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function unchanged: no view is a coroutine, and Flask would check six times in a request."""
        return func

    def make_default_options_response(self) -> Response:
        """Return the response to OPTIONS: the allowed methods, without a body."""
        response = super().make_default_options_response()
        response.status_code = HTTPStatus.NO_CONTENT
        del response.headers["Content-Type"]
        return response


def create_app(config: Config) -> Flask:
    """Create the application; it connects to the database on first use."""
    app = Application("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.url_map.converters |= {"player": PlayerConverter, "player_part": PlayerPartConverter}
    database, allowed = Database(config.database_url), AllowedAddresses.parse(config.webhook_allow)
    services = Services(config, database, allowed, build_sender(build_celery(config)))
    provide(app, services)
    register_error_handlers(app)
    api = describe_api(app)
    playing = (scores, rulesets, players, tables, rounds, hands, corrections, disputes, explanations, documents, links)
    for resource in (
        *playing,
        console_links,
        phone_links,
        scorekeepers,
        units,
        imports,
        exports,
        ledger,
        payments,
        statistics,
        plots,
        checkpoints,
        events,
        recomputations,
        proposals,
        webhooks,
        club,
        keys,
        ids,
        texts,
        health,
        metrics,
    ):
        api.register_blueprint(resource)
    app.register_blueprint(pages)
    app.register_blueprint(apps)
    app.register_blueprint(link_pages)
    app.register_blueprint(console)
    services.contract = api
    add_to_templates(app)
    limit_requests(app, config.rate_limit, config.rate_limit_url)
    add_security_headers(app)
    allow_origins(app, config.cors_origins)
    log_requests(app, api.spec.to_dict())
    return app
