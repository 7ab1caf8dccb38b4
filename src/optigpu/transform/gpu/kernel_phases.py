"""Steps between the phases of a kernel's conversion: barriers out of loops, arrays of the host to copies on the device."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import Call as CallTarget
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Array, Call, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, is_call
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer, Space
from optigpu.transform.gpu.device_arrays import has_contents, memcpy_between
from optigpu.transform.gpu.device_functions import functions_of, writes_array
from optigpu.transform.tools.declared_types import array_of, declared, visible_names
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def copy_to_device(session: Session, *names: str, at: TargetLike | None = None) -> Handle:
    """Let a kernel work on copies of arrays of the host, in global memory.

    Before:
        kernel_launch(1, 4, 0);
        kernel_setup_end();
        thread for (int t = 0; t < 4; t++) {
          b[t] = 2.0f * b[t];
        }
        kernel_teardown_begin();
        kernel_kill();
    Step: s.gpu.copy_to_device("b")
    After:
        float* const d_b = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(d_b, b, n);
        kernel_launch(1, 4, 0);
        kernel_setup_end();
        thread for (int t = 0; t < 4; t++) {
          d_b[t] = 2.0f * d_b[t];
        }
        kernel_teardown_begin();
        kernel_kill();
        memcpy_device_to_host1(b, d_b, n);
        gmem_free(d_b);

    Needs: arrays of known sizes that the kernel uses, and thread loops: threads access global memory, groups do not write it. `at`
    is the kernel_launch, where there are several. Fails: OG346 when a group of several threads writes the array, OG348 in a magic
    thread loop.
    Returns: the call of kernel_launch.
    """
    if not names:
        raise refuse("name the arrays to be copied", code="OG604")
    path = session.find(CallTarget("kernel_launch") if at is None else at, "call")
    kernel = _kernel_at(session, path)
    before: list[Decl | CallStmt] = []
    after: list[CallStmt] = []
    for name in names:
        if name not in body_free_vars(kernel):
            arrays = visible_names(session, path, lambda t: isinstance(t, Array))
            used = [array for array in arrays if array in body_free_vars(kernel)]
            raise no_such_name(f"the kernel does not use `{name}`", name, used, session.at(path))
        t = declared(session, path, name)
        if not isinstance(t, Array) or t.space is not Space.ANY:
            raise refuse(f"`{name}` is not an array of the host", session.at(path))
        array = array_of(session, path, name)
        dims = [d for d in array.dims if d is not None]
        if len(dims) != len(array.dims):
            raise refuse(f"the sizes of `{name}` are not known", session.at(path))
        device = session.fresh(f"d_{name}", path)
        kernel = substitute_body(kernel, {name: Var(device)})
        before.append(Decl(device, Pointer(array.elem), Alloc(array.elem, tuple(dims), Space.GMEM), const=True))
        if has_contents(session, path, name):
            before.append(memcpy_between("host_to_device", device, name, dims))
        if any(writes_array(s, device, functions_of(session.program)) for s in kernel):
            after.append(memcpy_between("device_to_host", name, device, dims))
    frees = [CallStmt(Call("gmem_free", (Var(d.name),))) for d in before if isinstance(d, Decl)]
    i, end = path.index, path.index + len(kernel)
    session.edit_body(path, lambda b: (*b[:i], *before, *kernel, *after, *frees, *b[end:]))
    return session.handle(path.sibling(len(before)))


def _kernel_at(session: Session, path: StatementPath) -> Body:
    """The statements of a kernel, from its launch to its end."""
    s = session.at(path)
    if not is_call(s, "kernel_launch"):
        raise refuse("this is not a kernel_launch", s)
    body = session.around(path)[path.index :]
    for n, x in enumerate(body):
        if is_call(x, "kernel_kill"):
            return body[: n + 1]
    raise refuse("this kernel_launch has no kernel_kill in the same block", s)
