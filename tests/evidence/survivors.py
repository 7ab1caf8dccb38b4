"""Side conditions whose removal no test notices, each with the reason why nothing untrue gets through without it."""

from __future__ import annotations

# (part of the name, reason); the first that fits counts.
SURVIVORS: list[tuple[str, str]] = []


def explained(name: str) -> str:
    return next((why for part, why in SURVIVORS if part in name), "")
