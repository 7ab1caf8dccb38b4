"""Arrays of the host that a kernel uses: where they are allocated on the device, and when they are copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.editing import StatementPath, replace_at
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, For, Program, Stmt, Store, is_call
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer, Scalar, Space
from optigpu.syntax.walk import code_exprs, root_name, statements
from optigpu.transform.gpu.device_functions import functions_of, writes_array
from optigpu.transform.gpu.memory_spaces import to_global_memory
from optigpu.transform.tools.declared_types import array_of, declared
from optigpu.transform.tools.refusal import refuse


@dataclass
class DeviceArrays:
    """A nest that works on arrays of the device, and the statements that it needs around it."""

    program: Program  # allocations that only the nest uses are in global memory
    nest: For
    allocations: list[Stmt] = field(default_factory=list)
    copies_in: list[Stmt] = field(default_factory=list)
    copies_out: list[Stmt] = field(default_factory=list)
    frees: list[Stmt] = field(default_factory=list)

    def add(self, name: str, device: str, array: Array, dims: list[Expr], copy_in: bool) -> None:
        """Let the nest use `device`, a new array, instead of the array `name` of the host."""
        self.nest = replace(self.nest, body=substitute_body(self.nest.body, {name: Var(device)}))
        allocation = Alloc(array.elem, tuple(dims), Space.GMEM)
        self.allocations.append(Decl(device, Pointer(array.elem), allocation, const=True))
        if copy_in:
            self.copies_in.append(memcpy_between("host_to_device", device, name, dims))
        if writes_array(self.nest, device, functions_of(self.program)):
            self.copies_out.append(memcpy_between("device_to_host", name, device, dims))
        self.frees.append(CallStmt(Call("gmem_free", (Var(device),))))

    def put(self, session: Session, path: StatementPath, kernel: Body) -> None:
        """Replace the statement at a path by a kernel with the allocations and copies around it."""
        before, after = (*self.allocations, *self.copies_in), (*self.copies_out, *self.frees)
        session.update(replace_at(self.program, path, *before, *kernel, *after))


def device_arrays(session: Session, path: StatementPath, nest: For, host_copies: Sequence[str] | None) -> DeviceArrays:
    """A nest on arrays of the device. `host_copies`, if given, are the only arrays that may be copied."""
    out = DeviceArrays(session.program, nest)
    for name in _host_arrays(session, path, nest):
        if host_copies is not None and name not in host_copies:
            raise refuse(f"the kernel accesses `{name}`, which is not in host_copies", nest, code="OG604")
        local = _own_allocation(session, path, name)
        if local is not None:
            out.program = to_global_memory(out.program, *local)
            continue
        array = array_of(session, path, name)
        dims = [d for d in array.dims if d is not None]
        if len(dims) != len(array.dims):
            raise refuse(f"the sizes of `{name}` are not known", nest)
        out.add(name, session.fresh(f"d_{name}", path), array, dims, has_contents(session, path, name))
    return out


def _host_arrays(session: Session, path: StatementPath, nest: For) -> list[str]:
    """Arrays of the host that the nest uses, in the order of parameters and declarations."""
    used = body_free_vars((nest,))
    f = session.function_of(path)
    order = [p.name for p in f.params] + [s.name for s in statements(f.body) if isinstance(s, Decl)]
    out: list[str] = []
    for name in dict.fromkeys(order):
        t = declared(session, path, name) if name in used else None
        if isinstance(t, Array) and t.space is Space.ANY:
            out.append(name)
        elif isinstance(t, Scalar) and writes_array(nest, name, functions_of(session.program)):
            message = f"the kernel assigns `{name}`, a variable of the host"
            fix = f's.reduce.parts("{nest.index}", var="{name}", parts="parts"): each iteration gets a part of the sum'
            raise refuse(message, nest, fix if accumulates(nest, name) else "s.loop.hoist gives each its own")
    return out


def _own_allocation(session: Session, path: StatementPath, name: str) -> tuple[StatementPath, Decl] | None:
    """The allocation of an array in the body around the nest, if only the nest and its `free` use it."""
    body = session.around(path)
    for i, s in enumerate(body[: path.index]):
        if isinstance(s, Decl) and s.name == name and isinstance(s.init, Alloc):
            rest = [x for j, x in enumerate(body) if j > i and j != path.index]
            users = [x for x in rest if name in body_free_vars((x,)) and not is_call(x, "free")]
            if not users:
                return path.sibling(i - path.index), s
    return None


def has_contents(session: Session, path: StatementPath, name: str) -> bool:
    """Must the array be copied in? Not if the contract only promises to write it, nor if it was just allocated."""
    f = session.function_of(path)
    if any(p.name == name for p in f.params):
        claims = [i.body for c in f.contract if c.kind not in ("writes", "produces") for i in c.items]
        if any(name in free_vars(e) for e in claims):
            return True
    earlier = [s for around in (*path.ancestors(), path) for s in session.around(around)[: around.index]]
    functions = functions_of(session.program)
    return any(
        writes_array(s, name, functions) or any(name in free_vars(e) for e in code_exprs(s))
        for s in earlier
        if not (isinstance(s, Decl) and s.name == name)
    )


def memcpy_between(direction: str, to: str, source: str, dims: list[Expr]) -> CallStmt:
    """`direction`: host_to_device, or device_to_host."""
    return CallStmt(Call(f"memcpy_{direction}{len(dims)}", (Var(to), Var(source), *dims)))


def accumulates(s: Stmt, name: str) -> bool:
    """Does the statement add to the variable, or otherwise compute its next value from the last one?"""
    stores = [x for x in statements((s,)) if isinstance(x, Store) and root_name(x.target) == name]
    return bool(stores) and all(x.op is not None or name in free_vars(x.value) for x in stores)
