"""Known agents and how each is started. What a user passes to `Agent(...)` becomes a `Launch` here."""

from .advice import about_login, absent, advise, guess
from .finding import Found, find
from .given import Given, Launch, launch
from .known import AGENTS, Known
from .listing import listed
from .table import table

__all__ = [
    "AGENTS",
    "Found",
    "Given",
    "Known",
    "Launch",
    "about_login",
    "absent",
    "advise",
    "find",
    "guess",
    "launch",
    "listed",
    "table",
]
