"""Figures and pictures: as an image for agents that take images, told in words for the others."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from .own import refused
from .parts import IMAGE_BYTES, TEXT_BYTES, Part, cell, cut, size

SIDE: Final = 1568  # pixels; what is larger is scaled down
_MODES: Final = {"1": "L", "P": "RGBA", "PA": "RGBA", "La": "LA", "RGBa": "RGBA"}
"""What a picture of another mode becomes before it is written as PNG; RGB all others."""


def matplotlib_figure(figure: Any, name: str) -> Part:
    return _drawn(figure, name, "matplotlib Figure", figure, None)


def matplotlib_part(part: Any, name: str) -> Part:
    """A `SubFigure`: the stretch of its figure that it is."""
    figure = _whole(part)
    stretch = part.bbox.transformed(figure.dpi_scale_trans.inverted())  # in inches
    return _drawn(part, name, f"matplotlib {type(part).__name__}", figure, stretch)


def matplotlib_axes(axes: Any, name: str) -> Part:
    """The figure that they are in."""
    figure = _whole(axes)
    part = matplotlib_figure(figure, name)
    others = len(figure.axes) - 1
    return replace(part, note=f"Its whole figure is sent. {part.note}".strip()) if others > 0 else part


def _whole(part: Any) -> Any:
    """The figure at the root."""
    try:
        figure = part.get_figure(root=True)
    except TypeError:  # matplotlib before 3.10
        figure = part.figure
    return getattr(figure, "figure", None) or figure


def _drawn(told: Any, name: str, kind: str, figure: Any, stretch: Any) -> Part:
    lengths = figure.get_size_inches() if stretch is None else (stretch.width, stretch.height)
    width, height = (float(length) for length in lengths)
    dots = min(float(figure.dpi), SIDE / max(width, height))
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dots, **({} if stretch is None else {"bbox_inches": stretch}))
    lines = [f"{math.floor(width * dots)} x {math.floor(height * dots)} pixels"]
    if len(told.axes) > 20:
        lines.append(f"the first 20 of {len(told.axes)} axes:")
    for axes in told.axes[:20]:
        words = [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        title, x, y = (cell(word) if word else "none" for word in words)
        lines.append(f"axes: title {title}, x {x}, y {y}, lines {len(axes.lines)}, patches {len(axes.patches)}")
    scaled = "" if dots >= float(figure.dpi) else f"Scaled down to {SIDE} pixels."
    return picture(name, kind, "image/png", data.getvalue(), "\n".join(lines), scaled)


def pillow_image(image: Any, name: str) -> Part:
    about = f"{image.width} x {image.height} pixels, mode {image.mode}"
    small, scaled = image, ""
    factor = math.ceil(max(image.size) / SIDE)
    if small.mode not in ("L", "LA", "RGB", "RGBA"):
        small = small.convert(_MODES.get(small.mode, "RGB"))
    if factor > 1:
        small = small.reduce(factor)
        scaled = f"Scaled down from {image.width} x {image.height} to {small.width} x {small.height} pixels."
    data = io.BytesIO()
    small.save(data, format="PNG")
    return picture(name, "PIL Image", "image/png", data.getvalue(), about, scaled)


def plotly_figure(figure: Any, name: str) -> Part:
    """In words: to draw it, plotly would start a browser."""
    titled = [figure.layout.title.text, figure.layout.xaxis.title.text, figure.layout.yaxis.title.text]
    title, x, y = (cell(word) if word else "none" for word in titled)
    lines = [f"title {title}, x {x}, y {y}, {len(figure.data)} traces"]
    lines += [_trace(trace) for trace in figure.data[:20]]
    note = "As text: plotly draws in a browser, not in Python."
    if len(figure.data) > 20:
        note += f" Shown: 20 of {len(figure.data)} traces."
    text, more = cut("\n".join(lines), TEXT_BYTES)
    return Part(name, "plotly Figure", text, note=" ".join(filter(None, [note, more])))


def picture(name: str, kind: str, mime: str, data: bytes, about: str, scaled: str = "") -> Part:
    """A picture that is ready; raises `ValueError` for one that no agent would take."""
    if len(data) > IMAGE_BYTES:
        raise refused(
            name,
            f"it is a picture of {size(len(data))}; at most {size(IMAGE_BYTES)} are sent. "
            "Save it and attach its Path, or attach a smaller one.",
        )
    return Part(name, kind, about, note=scaled, image=(mime, data))


def _trace(trace: Any) -> str:
    values = [f"{axis}: {_values(trace[axis])}" for axis in ("x", "y", "z", "values") if _has(trace, axis)]
    return f"trace {trace.type} {cell(trace.name or '')}: {', '.join(values)}"


def _has(trace: Any, axis: str) -> bool:
    return axis in trace and trace[axis] is not None


def _values(values: Iterable[Any]) -> str:
    sized = list(values[:5]) if hasattr(values, "__getitem__") else []
    return f"{len(values):,} values, first {', '.join(map(cell, sized))}"  # type: ignore[arg-type]
