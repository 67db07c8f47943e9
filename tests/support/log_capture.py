"""The log of the current test process."""

import io
import json

from tests.support.api_client import Document


class Log(io.StringIO):
    """What would have gone to stderr."""

    @property
    def lines(self) -> list[str]:
        return self.getvalue().splitlines()

    @property
    def events(self) -> list[Document]:
        return [json.loads(line) for line in self.lines]
