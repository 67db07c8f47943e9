"""The service's own state on the wire."""

from schemas.base import WireSchema
from schemas.fields import Text


class HealthSchema(WireSchema):
    """The process answers."""

    status = Text(required=True)
    version = Text(required=True)


class ReadinessSchema(WireSchema):
    """The database answers and has every migration."""

    status = Text(required=True)
