"""What is in the folders that a `delete` or a `move` names: copied before, compared after, within bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from .records import Named, Record
from .trees import NOTHING, THINGS, Found, Looker, Tree

_GONE_EMPTY = "the folder is gone, and had no files; a revert does not make it"
_GONE = "it is gone, and was not copied: {}"
_NEVER_SEEN = "nothing stood there when a tool call named it: it was gone before it could be copied, or never there"


def copy_below(record: Record, looker: Looker, path: str, found: Found, source: str) -> None:
    """Copy what is in a folder, or remember that nothing stood there."""
    if path in record.below or (record.before is not None and path in record.before.folders):
        return
    if found.kind != "folder":
        record.below[path] = Tree()
        return
    known = looker.limits
    had = record.below.values()
    total, count = sum(tree.bytes for tree in had), sum(len(tree.files) for tree in had)
    bounds = replace(known, total=known.total - total, count=known.count - count)
    tree = record.below[path] = looker.scan([path], bounds)
    record.folders = {**tree.folders, **record.folders}
    for file, was in tree.files.items():
        record.named.setdefault(file, Named(was, source))


def new_below(record: Record, looker: Looker) -> Iterator[tuple[str, Found]]:
    """The files that came into such a folder, or with it, and are not named yet."""
    for path, tree in record.below.items():
        if looker.look(path).kind == "folder" and os.path.realpath(path) == path:
            for file, now in looker.scan([path]).files.items():
                if file not in record.named and (not tree.folders or tree.covers(file)):
                    yield file, now


def say_below(record: Record, looker: Looker, changed: set[str]) -> None:
    """What is gone and was not copied is named, and so is a folder of which nothing else is told."""
    for path, tree in record.below.items():
        for place, why in {**tree.unseen, **tree.skipped}.items():
            if not os.path.lexists(place):
                record.left_out[place] = _GONE.format(why)
                record.unseen[place] = why
        now = looker.look(path)
        if now.kind == "nothing" and not any(each == path or each.startswith(path + os.sep) for each in changed):
            if tree.folders and not (tree.unseen or tree.skipped):
                record.left_out[path] = _GONE_EMPTY
            elif not tree.folders and record.named.get(path, Named(NOTHING, "")).found.kind not in THINGS:
                record.left_out.setdefault(path, _NEVER_SEEN)
