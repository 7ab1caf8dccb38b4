"""Host programs with one kernel, around a body that a test writes."""

from __future__ import annotations

from tests.support.cuda import one_kernel


def threads(body: str) -> str:
    return one_kernel(f"thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) {{ {body} }}")


def host(body: str, params: str = "", contract: str = "") -> str:
    """A host function on `h`, which is `e` on the device until `body` copies it back."""
    return f"""
void f(int n, float h[8]{params}) {{
  __requires("n >= 0");
  __consumes("h ~> Cells1(8)");
  __produces("h ~> Cells1(8)");
  {contract}
  float* const e = __gmem_malloc1<float>(8);
  memcpy_host_to_device1(e, h, 8);
  {body}
  gmem_free(e);
}}
"""


def launch(grid: str, body: str) -> str:
    return f"""kernel_launch({grid}, 8, 0); kernel_setup_end();
  thread for (int b = 0; b < {grid}; b++) thread for (int t = 0; t < 8; t++) {{ {body} }}
  kernel_teardown_begin(); kernel_kill();"""


BACK = "memcpy_device_to_host1(h, e, 8);"


def eight(body: str, *, index: str = "int t", pre: str = "", params: str = "", contract: str = "") -> str:
    """Eight threads of one block; numbers are doubles."""
    loops = f"thread for (int b = 0; b < 1; b++) thread for ({index} = 0; t < 8; t++) {{ {body} }}"
    kernel = f"kernel_launch(1, 8, 0); kernel_setup_end(); {loops} kernel_teardown_begin(); kernel_kill();"
    return pre + host(kernel + BACK, params, contract).replace("float", "double")


def one_block(params: str, type_: str, body: str, contract: str = "", before: str = "") -> str:
    """A function that sets `b[256]`, which is `d` on the device; `body` is what thread t does."""
    return f"""#include <optigpu.h>
{before}
void f({params}, {type_} b[256]) {{
  {contract}
  __writes("b ~> Cells1(256)");
  {type_}* const d = __gmem_malloc1<{type_}>(256);
  kernel_launch(1, 256, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 256; t++) {{ {body} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 256);
  gmem_free(d);
}}
"""
