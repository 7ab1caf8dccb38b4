"""Functions of two versions on device arrays: each version copies in, launches and copies out by itself."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.codegen.launch_plan import PlanChoice
from optigpu.runtime.launching import Launcher
from tests.support.cuda import emitted, on_standin
from tests.support.launching import StandinDriver

VERSION = """
    float* const NAME = __gmem_malloc1<float>(n);
    float* const OTHER = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(NAME, a, n);
    memcpy_host_to_device1(OTHER, b, n);
    kernel_launch(n, 1, 0);
    kernel_setup_end();
    thread for (int i = 0; i < n; i++) { OTHER[i] = FACTOR * NAME[i]; }
    kernel_teardown_begin();
    kernel_kill();
    memcpy_device_to_host1(b, OTHER, n);
    gmem_free(NAME);
    gmem_free(OTHER);
"""


def version(factor: str, name: str = "x", other: str = "y", more: str = "") -> str:
    return more + VERSION.replace("FACTOR", factor).replace("NAME", name).replace("OTHER", other)


def function(then: str, other: str, test: str = "n < 8") -> str:
    contract = """__consumes("a ~> Cells1(n), b ~> Cells1(n)"); __produces("a ~> Cells1(n), b ~> Cells1(n)");"""
    return f"void f(int n, float a[n], float b[n]) {{ {contract} if ({test}) {{ {then} }} else {{ {other} }} }}"


def test_each_version_runs_on_device_arrays() -> None:
    source = function(version("2.0f"), version("3.0f", "x", "z"))
    unit = emitted(source)
    assert unit.on_device and unit.plan is not None and isinstance(unit.plan[-1], PlanChoice)
    driver = StandinDriver()
    launcher = Launcher(
        on_standin(source, races=False).signature, unit.plan, unit.device_text.encode(), lambda _: driver
    )
    for n, factor in ((5, 2), (8, 3)):
        a, b = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        launcher.on_device(n, a.ctypes.data, b.ctypes.data, stream=0, device=0)
        assert (b == factor * a).all()
        on_standin(source, races=False)(n, a, b)
        assert (b == factor * a).all()


@pytest.mark.parametrize(
    "source",
    [
        function(version("2.0f"), version("3.0f", "y", "x")),  # a name means another parameter
        function(
            version("2.0f"), version("3.0f", "u", "v", "float* const x = __gmem_malloc1<float>(n); gmem_free(x);")
        ),
        function(version("2.0f"), version("3.0f").replace("memcpy_device_to_host1(b, y, n);", "")),
        function(version("2.0f"), version("3.0f"), test="a[0] > 0.0f"),  # the host reads an array
        function(version("2.0f"), ""),
        function(version("2.0f"), version("3.0f")).replace("if (", "a[0] = 1.0f; if ("),
    ],
)
def test_versions_that_do_more_do_not(source: str) -> None:
    unit = emitted(source)
    assert not unit.on_device and unit.plan is None
