from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.jobs.imports import ImportKind
from service.jobs.kind import Kind
from service.jobs.recomputations import RecomputationKind

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"import": ImportKind(), "recomputation": RecomputationKind()})
"""Every kind of job that workers of this release can do; they leave others to newer ones."""
