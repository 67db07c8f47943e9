class UpError(Exception):
    """
    The service cannot be brought up, or cannot go on; the message is one sentence that says why and what would help.

    >>> str(UpError("The web server ended by itself (exit code 1); what it said is above."))
    'The web server ended by itself (exit code 1); what it said is above.'
    """

    code = "up"
