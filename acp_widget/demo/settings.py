"""What a user can set in a session (ACP v2, Session Config Options). Each does what it says."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def _value(value: str, name: str, description: str) -> Json:
    return {"value": value, "name": name, "description": description}


_OPTIONS: tuple[Json, ...] = (
    {
        "configId": "mode",
        "name": "Mode",
        "description": "What it asks for before it does it",
        "category": "mode",
        "type": "select",
        "currentValue": "ask",
        "options": [
            _value("ask", "Ask before edits", "Asks before every edit and every command"),
            _value("accept-edits", "Accept edits", "Edits without asking; asks before every command"),
        ],
    },
    {
        "configId": "model",
        "name": "Model",
        "description": "There is none; but each of these takes its own time",
        "category": "model",
        "type": "select",
        "currentValue": "demo",
        "options": [
            {
                "groupId": "usual",
                "name": "The usual one",
                "options": [_value("demo", "Demo", "At a pace that can be followed")],
            },
            {
                "groupId": "others",
                "name": "Others",
                "options": [
                    _value("demo-brisk", "Demo Brisk", "Hardly pauses"),
                    _value("demo-calm", "Demo Calm", "Pauses twice as long"),
                ],
            },
        ],
    },
    {
        "configId": "thoughts",
        "name": "Show thoughts",
        "description": "Whether it thinks aloud",
        "category": "thought_level",
        "type": "boolean",
        "currentValue": True,
    },
)

PAUSES = {"demo": 1.0, "demo-brisk": 0.2, "demo-calm": 2.0}
"""The factor of each model for every pause."""


class Settings:
    """The settings of one session."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {option["configId"]: option["currentValue"] for option in _OPTIONS}

    def __getitem__(self, config_id: str) -> Any:
        return self._values[config_id]

    def set(self, config_id: Any, value: Any) -> None:
        """Change one. Raises `ValueError` with a sentence for a setting or a value that there is not."""
        option = next((option for option in _OPTIONS if option["configId"] == config_id), None)
        if option is None:
            raise ValueError(f"There is no setting {config_id!r}; there are {_listed(self._values)}.")
        offered = _values(option)
        if not any(type(value) is type(each) and value == each for each in offered):
            raise ValueError(f"{value!r} is no value of {config_id}; it takes {_listed(offered)}.")
        self._values[config_id] = value

    def options(self) -> list[Json]:
        """All of them, as ACP has them."""
        return [{**option, "currentValue": self._values[option["configId"]]} for option in _OPTIONS]


def _values(option: Json) -> list[Any]:
    if option["type"] == "boolean":
        return [True, False]
    return [each["value"] for item in option["options"] for each in item.get("options", [item])]


def _listed(names: Any) -> str:
    *others, last = [str(name) for name in names]
    return f"{', '.join(others)} and {last}" if others else last
