"""Putting things into a cell: a turn's live view, and beside it the static transcript that needs no widget."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from typing import Any

from .widget import TurnView

log = logging.getLogger(__name__)


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()


def current_cell() -> object:
    """Something that is equal for everything that happens in one run of one cell; None outside IPython."""
    shell = _shell()
    return None if shell is None else shell.execution_count


@dataclass
class TurnOutput:
    """A turn drawn into a cell."""

    view: TurnView
    cell: object
    display_id: str

    def update(self, html: str, markdown: str) -> None:
        """Replace the static transcript. From any thread; the cell may be long over."""
        try:
            _publish(html, markdown, self.display_id, update=True)
        except Exception:
            log.warning("The static transcript could not be updated", exc_info=True)


def show(view: TurnView, html: str, markdown: str) -> TurnOutput:
    """Display a live view in the cell that runs now, and the static transcript as a second output."""
    from IPython.display import display

    display(view)  # type: ignore[no-untyped-call]
    output = TurnOutput(view, current_cell(), uuid.uuid4().hex)
    _publish(html, markdown, output.display_id, update=False)
    return output


def _publish(html: str, markdown: str, display_id: str, *, update: bool) -> None:
    _shell().display_pub.publish(
        data={"text/html": html, "text/markdown": markdown, "text/plain": markdown},
        metadata={},
        transient={"display_id": display_id},
        update=update,
    )
