"""The trace of a hundred steps of a program of two hundred lines: seconds to write it, its size, milliseconds until it is seen."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.browser import Browser, find_browser  # noqa: E402
from tests.support.records import large_record  # noqa: E402

from optigpu.report.listing import listing  # noqa: E402
from optigpu.report.trace import trace_html  # noqa: E402


def main() -> None:
    sys.setrecursionlimit(10_000)
    rows = []
    print(f"{'steps':>5} {'lines':>5} {'checked':>8} {'written':>8} {'size':>8} {'first paint':>11} {'a step':>7}")
    for count in (10, 100):
        record = large_record(count)
        start = time.perf_counter()
        text = trace_html(record)
        row: dict[str, float] = {
            "steps": count,
            "lines": len(listing(record.steps[-1].after)),
            "checked_s": sum(s.seconds for s in record.steps),
            "written_s": time.perf_counter() - start,
            "bytes": len(text.encode()),
        }
        row |= in_browser(text)
        rows.append(row)
        paint, step = (f"{row[k]:.0f} ms" if k in row else "-" for k in ("first_paint_ms", "step_ms"))
        print(
            f"{count:>5} {row['lines']:>5} {row['checked_s']:>6.2f} s {row['written_s']:>6.2f} s"
            f" {row['bytes'] / 1e6:>5.2f} MB {paint:>11} {step:>7}"
        )
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(rows, indent=2), encoding="utf-8")


def in_browser(text: str) -> dict[str, float]:
    binary = find_browser()
    if binary is None:
        return {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "trace.html"
        page.write_text(text, encoding="utf-8")
        browser = Browser(binary, Path(folder) / "profile")
        try:
            browser.size(1440, 900)
            paints = []
            for _ in range(5):
                browser.open(page)
                paints.append(browser.first_paint())
            clicks = "document.querySelectorAll('.step').forEach(e => e.click())"
            measure = f"(() => {{ const t = performance.now(); {clicks}; return performance.now() - t; }})()"
            step = browser.value(measure) / browser.visible(".step")
        finally:
            browser.close()
    return {"first_paint_ms": median(paints), "step_ms": step}


if __name__ == "__main__":
    main()
