"""Where entities stand, for those who hold on to one: its key changes when a restarted agent uses its id again."""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary


class Place:
    """The key of one entity, as it is now."""

    __slots__ = ("__weakref__", "key")

    def __init__(self, key: str) -> None:
        self.key = key


class Places:
    """The places that somebody holds; every entity has one at most.

    >>> places = Places()
    >>> old = places.at("toolCalls", "t:1")
    >>> places.move("toolCalls", "t:1", "t:1@1")
    >>> old.key, places.at("toolCalls", "t:1") is old, places.at("toolCalls", "t:1@1") is old
    ('t:1@1', False, True)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: WeakValueDictionary[tuple[str, str], Place] = WeakValueDictionary()

    def at(self, group: str, key: str) -> Place:
        """The place of the entity that has this key now."""
        with self._lock:
            place = self._held.get((group, key))
            if place is None:
                place = self._held[group, key] = Place(key)
            return place

    def move(self, group: str, key: str, new_key: str) -> None:
        """The entity has another key from now on."""
        with self._lock:
            place = self._held.pop((group, key), None)
            if place is not None:
                place.key = new_key
                self._held[group, new_key] = place
