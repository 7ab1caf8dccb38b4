"""The measured tables: README and docs show what results.json says, and nothing unproved passes for verified."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from optigpu.runtime.manifest import load
from tests.conftest import ROOT

RESULTS = ROOT / "benchmarks" / "gpu" / "results.json"


def module(name: str) -> ModuleType:
    """A file of benchmarks/gpu."""
    spec = importlib.util.spec_from_file_location(f"gpu_{name}", ROOT / "benchmarks" / "gpu" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    out = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = out
    spec.loader.exec_module(out)
    return out


def row(kernel: str, rate: float, **more: Any) -> dict[str, Any]:
    ratios = {"device copy": rate / 4000}
    return {
        "kernel": kernel,
        "family": "vector_add",
        "size": [2**28],
        "rate": rate,
        "unit": "GB/s",
        "ratios": ratios,
        "ours": True,
    } | more


def test_readme_and_docs_show_what_was_measured() -> None:
    table = module("table")
    for path, text in table.pages(json.loads(RESULTS.read_text(encoding="utf-8"))).items():
        page = path.read_text(encoding="utf-8")
        assert table.replaced(page, text) == page, f"{path.name}: run benchmarks/gpu/table.py"
        assert table.replaced(page, text.replace("yes", "no", 1)) != page


def test_rows_say_whether_they_are_verified_and_meet_their_target() -> None:
    table = module("table")
    manifest = {"a": {"program": "a.c", "verified": True}, "b": {"program": "b.c", "verified": False}}
    a, b, copy = (
        table.judged(r, manifest) for r in (row("a", 3600), row("b", 3900), row("device copy", 4000, ours=False))
    )
    assert (a["verified"], a["met"], b["verified"], b["met"], copy["verified"], copy["met"]) == (
        True, False, False, True, None, None,
    )  # fmt: skip
    lines = table.table([a, b, copy]).splitlines()[2:]
    assert "| yes | 3,600 GB/s | 0.90 × device copy | 0.97 ✗ |" in lines[0]
    assert "| **not verified** | 3,900 GB/s | 0.97 × device copy | 0.97 ✓ |" in lines[1]
    assert table.best([a, b, copy]) == [b, a]
    assert table.best([a, {**b, "verified": True}, copy]) == [{**b, "verified": True}]
    unknown = table.judged(row("c", 3600), manifest)
    assert "**not verified**" in table.table([unknown])


def test_what_is_not_verified_is_refused_or_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    generate = module("generate")
    monkeypatch.setattr(generate, "PROGRAMS", tmp_path)
    right = (ROOT / "examples/gpu/vector_add.c").read_text(encoding="utf-8")
    (tmp_path / "right.c").write_text(right, encoding="utf-8")
    (tmp_path / "wrong.c").write_text(right.replace("d_a[i] + d_b[i]", "d_a[i] - d_b[i]"), encoding="utf-8")
    entries = [generate.Entry("right", "vector_add", "right.c"), generate.Entry("wrong", "vector_add", "wrong.c")]
    out = tmp_path / "out"
    assert generate.generate(entries, out, unproved=False) == ["wrong"]
    assert not (out / "wrong.cu").exists() and (out / "right.cu").exists()
    assert "wrong: refused" in capsys.readouterr().out
    assert generate.generate(entries, out, unproved=True) == []
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["right"]["verified"] and not manifest["wrong"]["verified"]
    assert "NOT VERIFIED" in (out / "wrong.cu").read_text(encoding="utf-8")
    assert "VERIFIED" in (out / "right.cu").read_text(encoding="utf-8")
    assert load(out, "right").verified and not load(out, "wrong").verified
