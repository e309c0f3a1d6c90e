"""The base of our widgets."""

from __future__ import annotations

import anywidget


class Model(anywidget.AnyWidget):
    """An anywidget that leaves nothing behind when it is closed."""

    @property
    def model_id(self) -> str | None:
        """The id of the model; kept after `close()`, so that what refers to it can still be written out."""
        identity: str | None = self._model_id if self.comm is None else self.comm.comm_id
        return identity

    @property
    def alive(self) -> bool:
        """False once it was closed, or its comm was: marimo closes what a cell opened when that cell runs again."""
        return self.comm is not None and not getattr(self.comm, "_closed", False)

    def close(self) -> None:
        """Close the comm; all views go away. Can be called again."""
        if self.comm is not None:
            layout = self._trait_values.get("layout")
            super().close()
            if layout is not None:  # made by ipywidgets for every widget, and closed by nobody
                layout.close()
