"""What the views of an application use besides the request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from flask import Flask, current_app

from service.config import Config
from service.db import Database
from service.http.gauges import BacklogGauges
from service.webhooks.sending import AllowedAddresses

if TYPE_CHECKING:
    from service.http.rate_limits import RateLimits
    from service.jobs.app import Send
    from service.openapi import ContractApi

_NAME: Final = "tablestakes"


@dataclass(slots=True)
class Services:
    """
    What the views of an application use.

    Attributes:
        config: the configuration of the process.
        database: the connections of the process.
        allowed_addresses: where messages may be sent although the address is not public.
        send: sends messages to the workers.
        is_stopping: returns whether the process stops; the web server sets it.
        rate_limits: counts the requests of each key; None without limits.
        contract: describes the API.
        operations: the ID of each operation, by its path and method.
        gauges: the metrics that are read from the database.
        polls_logged_at: when a request of each operation that monitoring uses was logged, by `perf_counter`.
    """

    config: Config
    database: Database
    allowed_addresses: AllowedAddresses
    send: "Send"
    is_stopping: Callable[[], bool] = lambda: False
    rate_limits: "RateLimits | None" = None
    contract: "ContractApi" = field(init=False)
    operations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    gauges: BacklogGauges = field(init=False)
    polls_logged_at: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Create the metrics of the database."""
        self.gauges = BacklogGauges(self.database)


def provide(app: Flask, services: Services) -> None:
    """Provide the views of an application with what they use."""
    app.extensions[_NAME] = services


def services_of(app: Flask) -> Services:
    """Return what the views of an application use."""
    services: Services = app.extensions[_NAME]
    return services


def find_services(app: Flask) -> Services | None:
    """Return what the views of an application use; None for an application that is not the service."""
    services: Services | None = app.extensions.get(_NAME)
    return services


def current_services() -> Services:
    """Return what the views of the current application use."""
    return services_of(current_app)
