class Refused(Exception):
    """What was sent cannot be; `reason` says why in one short word, `found` what stood there."""

    def __init__(self, reason: str, found: object = None) -> None:
        super().__init__(reason if found is None else f"{reason}: {found}")
        self.reason = reason


def demand(holds: bool, reason: str, found: object = None) -> None:
    if not holds:
        raise Refused(reason, found)
