"""Much work at once, for which Python need not look for circles of objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """
    Let Python not look for circles of objects while the block runs.

    Hundreds of documents are a hundred thousand objects and no circle; going through them again and again took a
    seventh of an import's time, and an eighth of the time of a look at a thousand rounds. Once afterwards took half as
    much still: so it covers a whole call, until all are gone.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
