"""The Python client of Runwright."""

from .client import TERMINAL_EVENTS, TERMINAL_STATUSES, Action, AsyncRunwright, Runwright, RunwrightError

__all__ = ["TERMINAL_EVENTS", "TERMINAL_STATUSES", "Action", "AsyncRunwright", "Runwright", "RunwrightError"]
