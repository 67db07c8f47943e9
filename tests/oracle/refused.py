class Refused(Exception):
    """What was sent cannot be; `reason` says why in one short word, `value` what stood there."""

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__(reason if value is None else f"{reason}: {value}")
        self.reason = reason


def demand(holds: bool, reason: str, value: object = None) -> None:
    if not holds:
        raise Refused(reason, value)
