"""How much a policy may allow by itself."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

_SHOWN = 100  # characters of a wrong value
_MOST = 1e300


@dataclass(frozen=True)
class Budget:
    """How much a policy may allow by itself: `calls`, `seconds` since its first decision, `cost` of the session.

    When one is used up, what rules would have allowed is asked. `cost` counts as far as the agent reports it, in its
    currency. Raises `TypeError` for what is no number, or `calls` that are not whole, and `ValueError` for one below 0.

    >>> Budget(calls=50, seconds=600)
    Budget(calls=50, seconds=600, cost=None)
    """

    calls: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "seconds", "cost"):
            value: object = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _number(name, value))

    def spent(self, calls: int, seconds: float, cost: float) -> str | None:
        """A sentence when something is used up."""
        for name, used, limit in (
            ("calls", calls, self.calls),
            ("seconds", seconds, self.seconds),
            ("cost", cost, self.cost),
        ):
            if limit is not None and used >= limit:
                return f"The budget of {limit:g} {name} is used up."
        return None


def _number(name: str, value: object) -> float:
    """The number, as Python's own: those of numpy, for instance, are kept in a file as any other."""
    whole = name == "calls"
    kind = "whole number" if whole else "number"
    said = f"Budget({name}={repr(value)[:_SHOWN]}): it is a {kind}, 0 or more; None: no limit."
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        raise TypeError(said)
    number = int(value) if isinstance(value, Integral) else float(value)
    if not 0 <= number < _MOST:  # also what is not a number at all
        raise ValueError(said)
    return number
