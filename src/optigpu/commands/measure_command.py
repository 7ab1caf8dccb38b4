"""The command `tune --measure`, which needs only the runtime, and what it shares with `tune`."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from optigpu.report.diagnostics import Style
from optigpu.runtime.call_error import FINE, WRONG, CallError
from optigpu.tuning.measuring import MeasureSettings, MeasuringHere
from optigpu.tuning.measuring_folder import measured_folder
from optigpu.tuning.tuned_file import TUNED, opened, read_tuned
from optigpu.tuning.tuning_results import TuningResult, result_json


def measure_settings(args: argparse.Namespace) -> MeasureSettings:
    if args.repeats < 1:
        raise CallError("at least one run is needed")
    return MeasureSettings(args.cpu, args.compiler, args.repeats, jobs=args.jobs or os.cpu_count() or 1)


def measure_command(args: argparse.Namespace, style: Style) -> int:
    if args.source is not None or args.prepare is not None:
        raise CallError("--measure FOLDER takes what was prepared: give no SPEC.py and no --prepare with it")
    if args.ray:
        raise CallError("--measure is for this machine: --ray goes with SPEC.py")
    file = read_tuned(Path(args.measure) / TUNED)
    names = args.only or [t.name for t in file.tunings]
    how = measure_settings(args)
    if args.output is not None:
        opened(Path(args.output))  # a damaged file is refused before anything is measured
    here = MeasuringHere(how)
    try:
        results = measured_folder(file, names, how, here, args.progress)
    finally:
        here.close()
    if args.output is not None:
        output = opened(Path(args.output))
        for result in results:
            output = output.put(result.tuning)
    return show(args, results)


def show(args: argparse.Namespace, results: Sequence[TuningResult]) -> int:
    """Print the results. The exit code says whether there are best options for each size."""
    if args.json:
        print(json.dumps([result_json(r) for r in results], indent=2))
    else:
        print("\n".join(map(str, results)))
    return FINE if all(r.complete for r in results) else WRONG
