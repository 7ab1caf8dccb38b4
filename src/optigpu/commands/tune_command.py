"""The command `tune` on a Python file: verifies candidates, and measures them unless it only prepares a folder."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from optigpu.commands.measure_command import measure_settings, show
from optigpu.commands.script_runs import run_script
from optigpu.commands.worker_processes import process_count
from optigpu.report.diagnostics import Style
from optigpu.runtime.call_error import FINE, WRONG, CallError
from optigpu.tuning.tuned_file import TUNED
from optigpu.tuning.tuning_results import TuningResult, result_json
from optigpu.tuning.tuning_run import TuneSettings, tuning_with


def tune_command(args: argparse.Namespace, style: Style) -> int:
    if args.source is None:
        raise CallError("give a Python file that calls og.tune(…), or --measure FOLDER")
    if args.only is not None:
        raise CallError("--only goes with --measure")
    preparing = args.prepare is not None
    if preparing and args.output is not None:
        raise CallError("--prepare measures nothing, so there is no --output")
    settings = TuneSettings(
        folder=Path(args.prepare or args.folder),
        output=None if preparing else Path(args.output or TUNED),
        jobs=process_count(args.jobs),
        limit=args.timeout,
        cluster="ray" if args.ray else None,
        measure=not preparing,
        measuring=measure_settings(args),
        progress=args.progress,
    )
    results: list[TuningResult] = []
    with tuning_with(settings, results.append):
        code, _ = run_script(args.source, lambda script, step: None, style)
    if code != FINE:
        return code
    if not results:
        raise CallError(f"{args.source} tunes nothing: og.tune(…)")
    if not preparing:
        return show(args, results)
    print(json.dumps([result_json(r) for r in results], indent=2) if args.json else "\n".join(map(str, results)))
    unverified = [r.tuning.name for r in results if not any(c.code for c in r.tuning.candidates)]
    for name in unverified:
        print(f"error: {name}: no candidate was verified", file=sys.stderr)
    return WRONG if unverified else FINE
