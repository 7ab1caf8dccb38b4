"""Measures the tunings of a prepared folder, with progress. Needs the runtime alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from optigpu.report.progress_bar import progress_bar
from optigpu.tuning.measuring import Measurer, MeasureSettings, MeasuringHere, compile_all, known_tuning, measured
from optigpu.tuning.tuned_file import TunedFile
from optigpu.tuning.tuning_results import TuningResult


def measured_folder(
    file: TunedFile, names: Sequence[str], how: MeasureSettings, measurer: Measurer, progress: bool
) -> list[TuningResult]:
    """Measure these tunings, and what the times say."""
    where, _ = measurer.place()
    if isinstance(measurer, MeasuringHere):
        for name in names:
            tuning = known_tuning(file, name)
            bar = progress_bar(sys.stderr, f"compile {name}", progress)
            try:
                compile_all(tuning, file.path.parent, how, bar)
            finally:
                bar.close()
    bar = progress_bar(sys.stderr, "measure", progress)
    try:
        done = measured(file, names, how, measurer, bar)
    finally:
        bar.close()
    out = []
    for name in names:
        tuning = known_tuning(done.file, name)
        reused, new = done.counts.get(name, (0, 0))
        out.append(TuningResult(tuning, where, reused, new))
    return out
