from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.jobs.imports import ImportKind
from service.jobs.kind import Kind

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"import": ImportKind()})
"""Every kind of job that workers of this release can do; they leave others to newer ones."""
