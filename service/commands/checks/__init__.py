"""The checks of `ofc-server doctor`."""

from service.commands.checks.check import Check, CheckState, describe_age
from service.commands.checks.run import run_checks

__all__ = ["Check", "CheckState", "describe_age", "run_checks"]
