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
        self._moves: list[tuple[str, str, str]] = []
        self._unborn: WeakValueDictionary[tuple[str, str, int], Place] = WeakValueDictionary()

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
            self._move(group, key, new_key)

    def _move(self, group: str, key: str, new_key: str) -> None:
        self._moves.append((group, key, new_key))
        self._put(self._held.pop((group, key), None), group, new_key)
        # Who has come back from before this move may hold what took the key after it.
        self._put(self._unborn.pop((group, key, len(self._moves)), None), group, key)

    def become(self, other: Places) -> None:
        """The same as the places of a replay of this session that has come less far, or farther."""
        with self._lock:
            same = 0
            while same < min(len(self._moves), len(other._moves)) and self._moves[same] == other._moves[same]:
                same += 1
            while len(self._moves) > same:
                self._move_back()
            for move in other._moves[same:]:
                self._move(*move)

    def _move_back(self) -> None:
        count = len(self._moves)
        group, key, new_key = self._moves.pop()
        later = self._held.pop((group, key), None)
        if later is not None:
            later.key = f"{key}@+{count}"  # a key that nothing has: it is not there yet
            self._unborn[group, key, count] = later
        self._put(self._held.pop((group, new_key), None), group, key)

    def _put(self, place: Place | None, group: str, key: str) -> None:
        if place is not None:
            place.key = key
            self._held[group, key] = place
