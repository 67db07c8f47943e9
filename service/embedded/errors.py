from service.errors import OperatorError


class EmbeddedError(OperatorError):
    """
    The embedded PostgreSQL cannot be used; the message is one sentence that says why and what would help.

    >>> str(EmbeddedError("/srv/ofc is in use by another ofc-server."))
    '/srv/ofc is in use by another ofc-server.'
    """

    code = "embedded-database"


class InUse(EmbeddedError):
    """Another process owns the directory."""
