"""Results as text."""

from __future__ import annotations

from typing import Any

from case import SIDES

SCALES = {"us": 1e6, "ms": 1e3, "s": 1.0, "MB": 1.0}


def amount(value: float, unit: str) -> str:
    """A measured value with its unit and three digits."""
    scaled = value * SCALES[unit]
    digits = 3 if scaled < 1 else 2 if scaled < 10 else 1 if scaled < 100 else 0
    return f"{scaled:.{digits}f} {unit}"


def verdicts(result: dict[str, Any]) -> list[tuple[str, float, float, bool | None]]:
    """(side, ratio of agog to it, limit, met) for each limit; for agog itself the value."""
    medians = result["medians"]
    found: list[tuple[str, float, float, bool | None]] = []
    for side, limit in result["limits"].items():
        if "agog" not in medians or side not in medians:
            found.append((side, float("nan"), limit, None))
            continue
        value = medians["agog"] if side == "agog" else medians["agog"] / medians[side]
        found.append((side, value, limit, value <= limit))
    return found


def met(result: dict[str, Any]) -> bool | None:
    """Whether all limits are met; None where a side is missing and the others hold."""
    states = [state for *_, state in verdicts(result)]
    return False if False in states else None if None in states else True


def details(result: dict[str, Any]) -> str:
    """A line for each side of one workload."""
    medians, unit = result["medians"], result["unit"]
    limits = {side: (value, limit, state) for side, value, limit, state in verdicts(result)}
    lines = []
    for side, median in medians.items():
        low, high = min(result["samples"][side]), max(result["samples"][side])
        line = f"    {SIDES[side][0]:14} {amount(median, unit):>10}"
        line += f"  [{amount(low, unit)} .. {amount(high, unit)}]"
        if side != "agog" and "agog" in medians:
            line += f"  agog/this = {medians['agog'] / median:.3f}"
        if side in limits:
            _, limit, state = limits[side]
            bound = amount(limit, unit) if side == "agog" else f"{limit:.3f}"
            line += f"  at most {bound}: {_word(state)}"
        lines.append(line)
    return "\n".join(lines)


def table(results: dict[str, dict[str, Any]]) -> str:
    """All workloads as a Markdown table; in brackets, how many times slower than agog."""
    shown = [side for side in SIDES if any(side in r["medians"] for r in results.values())]
    head = ["what", *(SIDES[side][0] for side in shown), "limit", "met"]
    rows = [head, ["---"] * len(head)]
    for result in results.values():
        cells = [_cell(result, side) for side in shown]
        rows.append([result["what"], *cells, _limit_text(result), _word(met(result))])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(result: dict[str, Any], side: str) -> str:
    medians = result["medians"]
    if side not in medians:
        return "-"
    text = amount(medians[side], result["unit"])
    if side == "agog" or "agog" not in medians:
        return text
    return f"{text} ({medians[side] / medians['agog']:.2g}x)"


def _limit_text(result: dict[str, Any]) -> str:
    parts = []
    for side, limit in result["limits"].items():
        if side == "agog":
            parts.append(amount(limit, result["unit"]))
        elif limit == 1:
            parts.append(f"under {SIDES[side][0]}")
        elif limit < 1:
            parts.append(f"1/{1 / limit:.3g} of {SIDES[side][0]}")
        else:
            parts.append(f"{limit:g} x {SIDES[side][0]}")
    return ", ".join(parts)


def _word(state: bool | None) -> str:
    return {True: "yes", False: "NO", None: "not measured"}[state]
