"""Files and bytes: small text comes along where the agent takes it, everything else is a link that it can read."""

from __future__ import annotations

import mimetypes
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..host.roots import Folder, Place, folder_of, is_file
from .own import refused
from .parts import BLOB_BYTES, IMAGE_BYTES, TEXT_BYTES, Part, clean, cut, size
from .pictures import picture

_MAGIC: Final = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_NO_TEXTS: Final = frozenset({"image", "audio", "video", "font"})
_TEXTS: Final = frozenset({"image/svg+xml", "image/x-xbitmap", "image/x-xpixmap"})
_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def path_part(path: Path, name: str) -> Part:
    """A file or folder that is there. Raises `OSError` when it is not, `ValueError` for a device or a pipe."""
    place = path.expanduser().absolute()

    def read(most: int) -> bytes:
        with place.open("rb") as file:
            return file.read(most)

    return _part(place, name, place.stat(), read)


def place_part(place: Place, name: str) -> Part:
    """The same for a place below an agent's folder; a link that took the place meanwhile is not followed."""
    path = Path(place.path)
    if not place.parts:
        return _part(path, name, path.stat(), lambda most: b"")
    with folder_of(place) as folder:
        about = folder.stat(place.parts[-1])
        if about is None:
            raise FileNotFoundError(f"{path} is not there.")
        return _part(path, name, about, lambda most: _read(folder, place.parts[-1], most))


def kind_of(path: str) -> str | None:
    """`"file"` or `"folder"`; None for what is not there, a device or a pipe."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return None
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else None


def detail(path: str) -> str:
    """How large a file is, and whether it is too large to come along; of a folder nothing."""
    try:
        about = Path(path).stat()
    except (OSError, ValueError):
        return ""
    if not is_file(about):
        return ""
    return f"{size(about.st_size)}{', as a link' if about.st_size > _most(_type_of(path)) else ''}"


def _read(folder: Folder, name: str, most: int) -> bytes:
    with os.fdopen(folder.open(name, os.O_RDONLY), "rb") as file:
        if not is_file(os.fstat(file.fileno())):
            raise ValueError(f"{name} is no file any more.")
        return file.read(most)


def _type_of(path: str | Path) -> str:
    return mimetypes.guess_type(Path(path).name)[0] or "application/octet-stream"


def _most(mime: str) -> int:
    return IMAGE_BYTES if mime in _PICTURES else TEXT_BYTES


def _part(place: Path, name: str, about: os.stat_result, read: Callable[[int], bytes]) -> Part:
    link: dict[str, Any] = {"uri": place.as_uri(), "name": place.name or str(place)}
    if stat.S_ISDIR(about.st_mode):
        return Part(name, "folder", uri=link["uri"], link=link)
    if not stat.S_ISREG(about.st_mode):
        raise refused(name, f"{place} is no file and no folder: only these can be.")
    mime = _type_of(place)
    link = {**link, "size": about.st_size, "mimeType": mime}
    if about.st_size > _most(mime):
        note = f"Only its address is sent: it has {size(about.st_size)}."
        return Part(name, "file", uri=link["uri"], link=link, note=note)
    data = read(IMAGE_BYTES + 1)
    if _picture_type(data) == mime:
        return Part(name, "picture", uri=link["uri"], link=link, image=(mime, data))
    text = _text_of(data)
    if text is None or len(data) > TEXT_BYTES:
        return Part(name, "file", uri=link["uri"], link=link, note="Only its address is sent.")
    if (mime.partition("/")[0] in _NO_TEXTS and mime not in _TEXTS) or mime == "application/octet-stream":
        mime = "text/plain"  # whatever the end of its name says
    return Part(name, "file", text, mime, uri=link["uri"], link={**link, "mimeType": mime})


def bytes_part(data: bytes, name: str, mime: str | None = None) -> Part:
    """Bytes with their type; without one, pictures are known by how they begin."""
    mime = mime or _picture_type(data[:16]) or "application/octet-stream"
    if mime in _PICTURES:
        return picture(name, "picture", mime, data, f"{mime}, {size(len(data))}")
    if mime.startswith("text/") or mime == "application/json":
        text, note = cut(data[: 4 * TEXT_BYTES].decode("utf-8", "replace"), TEXT_BYTES)
        if len(data) > 4 * TEXT_BYTES:
            note = f"Shown: the first {size(len(text.encode()))} of {size(len(data))}."
        return Part(name, "bytes", text, mime, note=note)
    if len(data) > BLOB_BYTES:
        raise refused(
            name,
            f"it has {size(len(data))}; at most {size(BLOB_BYTES)} of bytes are sent. "
            "Write them to a file and attach its Path.",
        )
    text = f"{mime}, {size(len(data))}. They begin with {data[:32].hex(' ')}"
    return Part(name, "bytes", text, mime, blob=data)


def _picture_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for start, mime in _MAGIC if data.startswith(start)), None)


def _text_of(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else clean(text)
