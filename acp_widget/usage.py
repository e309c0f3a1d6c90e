"""What the work took: tokens, money, and how full the agent's context is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .entities import Result
from .export.entries import Entry, Line

_TOKENS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "thought_tokens": "thoughtTokens",
    "cached_read_tokens": "cachedReadTokens",
    "cached_write_tokens": "cachedWriteTokens",
    "total_tokens": "totalTokens",
}
_WIRE = {"context_used": "used", "context_size": "size", **_TOKENS}


@dataclass(frozen=True, repr=False)
class Usage(Result):
    """What the agent reported of its use when this was read (ACP v2, Session Usage); None for what it did not report.

    `context_used` of `context_size` tokens are in its context. `cost` is in `currency`, for the session so far.
    The tokens are those of one turn. All are the agent's own figures.

    >>> Usage(context_used=2_252, context_size=200_000, cost=0.5, currency="EUR")
    <Usage context 2,252 of 200,000 tokens (1%), cost 0.5 EUR>
    """

    context_used: int | None = None
    context_size: int | None = None
    cost: float | None = None
    currency: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    thought_tokens: int | None = None
    cached_read_tokens: int | None = None
    cached_write_tokens: int | None = None
    total_tokens: int | None = None

    @classmethod
    def of(cls, session: Mapping[str, Any], turn: Mapping[str, Any] | None = None) -> Usage:
        """From the reports of a session and of a turn, whatever is in them."""
        told = {**session, **(turn or {})}
        cost = told.get("cost")
        amount = cost.get("amount") if isinstance(cost, Mapping) else None
        currency = cost.get("currency") if isinstance(cost, Mapping) else None
        return cls(
            **{name: _count(told.get(wire)) for name, wire in _WIRE.items()},
            cost=float(amount) if isinstance(amount, (int, float)) and not isinstance(amount, bool) else None,
            currency=currency if isinstance(currency, str) else None,
        )

    @property
    def context_share(self) -> float | None:
        """How full the context is, from 0 to 1."""
        return self.context_used / self.context_size if self.context_used is not None and self.context_size else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data under ACP's names, with what was reported."""
        cost = None if self.cost is None else {"amount": self.cost, "currency": self.currency}
        told = {**{wire: getattr(self, name) for name, wire in _WIRE.items()}, "cost": cost}
        return {name: value for name, value in told.items() if value is not None}

    def _drawn(self) -> Sequence[Entry]:
        return [Line("Usage", str(self))]

    def __bool__(self) -> bool:
        """False when nothing was reported."""
        return any(getattr(self, each.name) is not None for each in fields(self))

    def __str__(self) -> str:
        parts = [
            f"{value:,} {name.replace('_', ' ')}" for name in _TOKENS if (value := getattr(self, name)) is not None
        ]
        if self.context_used is not None:
            share = f" ({self.context_share:.0%})" if self.context_share is not None else ""
            size = f" of {self.context_size:,}" if self.context_size else ""
            parts.append(f"context {self.context_used:,}{size} tokens{share}")
        if self.cost is not None:
            parts.append(f"cost {self.cost:g} {self.currency or ''}".rstrip())
        return ", ".join(parts) or "nothing reported"

    def __repr__(self) -> str:
        return f"<Usage {self}>"


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
