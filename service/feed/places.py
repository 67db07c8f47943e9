"""The numbers of requests that may wait for events, so that they leave threads and connections for all others."""

from typing import Final

MOST_LISTENERS: Final = 24
"""Maximum number of requests of a process that wait for events at once, where they have threads of their own."""
MOST_OF_CLUB: Final = 12
"""Maximum number of those of one club."""
MOST_IN_THREADS: Final = 2
"""Maximum number where they use the threads of other requests: half of these threads."""
