"""Measurements as text and as JSON."""

from __future__ import annotations

from optigpu.report.diagnostics import PLAIN, Style
from optigpu.runtime.bench import Measurement


def render_measurement(m: Measurement, style: Style = PLAIN) -> str:
    """One line for the function, one for each library, one for the device copy."""
    sizes = ", ".join(f"{n} = {v}" for n, v in m.sizes.items())
    lines = [f"{style.bold(m.name)} on {m.where}: {sizes or 'no sizes'}"]
    width = max(map(len, [m.name, "device copy", *m.libraries]))
    lines.append(f"  {'':<{width}}  {'ms':>10}  {m.unit:>8}" + ("" if m.copy is None else f"  {'of copy':>8}"))
    lines.append(_line(m.name, width, m.timing.median, m.rate(), m.share(), ""))
    for name, timing in m.libraries.items():
        note = f"  {m.name} is {m.ratio(name):.2f} of it"
        lines.append(_line(name, width, timing.median, m.rate(timing), m.share(timing), note))
    if m.copy is not None:
        lines.append(f"  {'device copy':<{width}}  {'':>10}  {m.copy / 1e9:>8,.0f}  {1:>8.2f}  (GB/s)")
    else:
        lines.append("  timed on the CPU, which says nothing about a GPU")
    return "\n".join(lines)


def _line(name: str, width: int, ms: float, rate: float, share: float | None, note: str) -> str:
    digits = 1 if rate < 100 else 0
    return (
        f"  {name:<{width}}  {ms:>10.4f}  {rate:>8,.{digits}f}" + ("" if share is None else f"  {share:>8.2f}") + note
    )


def measurement_json(m: Measurement) -> dict[str, object]:
    return {
        "name": m.name,
        "where": m.where,
        "sizes": m.sizes,
        "ms": m.timing.median,
        "runs": list(m.timing.runs),
        "bytes": m.bytes,
        "flops": m.flops,
        "rate": m.rate(),
        "unit": m.unit,
        "copy_bandwidth": m.copy,
        "share_of_copy": m.share(),
        "libraries": {n: {"ms": t.median, "rate": m.rate(t), "ratio": m.ratio(n)} for n, t in m.libraries.items()},
    }
