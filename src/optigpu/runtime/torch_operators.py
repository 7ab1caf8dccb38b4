"""Compiled functions as operators of PyTorch, for torch.compile, CUDA graphs, fake tensors and autograd.

`op = k.register("mylib::scale")` makes `torch.ops.mylib.scale`. It takes what a call that leaves out its outputs takes, numbers by
name or in order, and returns new tensors: the function's number first, if it has one, as a tensor without dimensions. Arrays that
are read and written are changed in place. Tensors may be strided, as in calls (`runtime/packed_arrays.py`).

`k.register(…, backward=kb, names={"dy": "grad_y", "dx": "grad_x"})` gives the gradient: kb's parameters are named like parameters
of k, like its outputs, or `grad_` and an output; its outputs `grad_` and a parameter of k. `names` has those whose names are
different. That kb computes the gradient is the caller's claim. Without it, tensors that require a gradient are refused.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from optigpu.codegen.integer_polynomials import same_value
from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.fact_code import HELPERS, INTEGER, quotient, size_text
from optigpu.runtime.signature import DTYPES, ArrayParam, ScalarParam, Signature
from optigpu.runtime.torch_tensors import has_tangent
from optigpu.syntax.builtins import INT_CONSTANTS
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.printer import print_expr
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Kind

NUMBERS = {Kind.INT: "SymInt", Kind.FLOAT: "float", Kind.BOOL: "bool"}
_libraries: dict[str, Any] = {}  # by operator; PyTorch forgets an operator with its library


class RegisteredFunction(Protocol):
    """What an operator needs of a compiled function."""

    signature: Signature

    @property
    def torch_devices(self) -> tuple[str, ...]: ...

    @property
    def aligned(self) -> Mapping[str, int]: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator before it is registered. `inputs`: its arguments; `outputs`: what it returns, without the function's number."""

    function: RegisteredFunction
    inputs: tuple[ArrayParam | ScalarParam, ...]
    outputs: tuple[ArrayParam, ...]

    @property
    def signature(self) -> Signature:
        return self.function.signature

    @property
    def mutates(self) -> tuple[ArrayParam, ...]:
        return tuple(p for p in self.inputs if isinstance(p, ArrayParam) and p.written)

    def schema(self) -> str:
        letters = {p.name: chr(ord("a") + i) for i, p in enumerate(self.mutates)}
        arguments = [
            f"Tensor{f'({letters[p.name]}!)' if p.name in letters else ''} {p.name}"
            if isinstance(p, ArrayParam)
            else f"{NUMBERS[p.type.kind]} {p.name}"
            for p in self.inputs
        ]
        returns = ["Tensor"] * ((self.signature.result is not None) + len(self.outputs))
        made = returns[0] if len(returns) == 1 else f"({', '.join(returns)})"
        return f"({', '.join(arguments)}) -> {made}"


def operator_of(function: RegisteredFunction) -> Operator:
    s = function.signature
    order = s.orders()[2]
    by_name = {p.name: p for p in s.params}
    inputs = tuple(by_name[n] for n in order)
    outputs = tuple(p for p in s.params if isinstance(p, ArrayParam) and p.output)
    if not any(isinstance(p, ArrayParam) for p in inputs):
        raise CallError(f"{s.name} takes no array besides outputs, so PyTorch cannot know the device of a call")
    if len(s.params) and any(n in ("self", "out") for n in order):
        raise CallError(f"{s.name} has a parameter `self` or `out`, which means something else to PyTorch")
    return Operator(function, inputs, outputs)


def registered(
    function: RegisteredFunction, name: str, backward: RegisteredFunction | None, names: Mapping[str, str]
) -> Any:
    """The operator `torch.ops.….default`."""
    torch = torch_module()
    operator = operator_of(function)
    gradient = None
    if backward is not None and not isinstance(getattr(backward, "signature", None), Signature):
        raise CallError(f"backward= is a function that `build` or `load` gives, not {type(backward).__name__}")
    if backward is not None:
        gradient = gradient_of(operator, operator_of(backward), names)
    elif names:
        raise CallError(f"{function.signature.name}: names are of a backward function, and there is none")
    needed = (name,) if gradient is None else (name, f"{name}_backward")
    for new in needed:
        require_new(torch, new)
    try:
        if gradient is None:
            op = defined(torch, operator, name)
            refuse_gradients(torch, op, operator, name)
        else:
            inner = defined(torch, gradient.operator, f"{name}_backward")
            refuse_gradients(torch, inner, gradient.operator, f"{name}_backward")
            op = defined(torch, operator, name)
            give_gradients(torch, op, gradient, inner, name)
    except BaseException:  # nothing half-made is left
        for new in needed:
            if (library := _libraries.pop(new, None)) is not None:
                library._destroy()
        raise
    return op


def torch_module() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise CallError("PyTorch is not installed, so there are no operators to register") from None


def require_new(torch: Any, name: object) -> None:
    namespace, separator, short = name.partition("::") if isinstance(name, str) else ("", "", "")
    if not (separator and namespace.isidentifier() and short.isidentifier() and f"{name}".isascii()):
        raise CallError(f"`{name}` is no name of an operator: NAMESPACE::NAME")
    if name in _libraries or hasattr(getattr(torch.ops, namespace), short):
        raise CallError(f"there is an operator `{name}` already, or PyTorch uses this name itself")


def defined(torch: Any, operator: Operator, name: str) -> Any:
    """Define an operator, its implementation, and what it does to fake tensors."""
    namespace, _, short = name.partition("::")
    run, shapes = implementation(torch, operator), fake(torch, operator)
    try:
        _libraries[name] = library = torch.library.Library(namespace, "FRAGMENT")
        library.define(f"{short}{operator.schema()}", tags=(torch.Tag.pt2_compliant_tag,))
    except (RuntimeError, ValueError) as e:
        raise CallError(f"PyTorch refuses the operator `{name}`: {str(e).splitlines()[0]}") from None
    for device in operator.function.torch_devices:
        library.impl(short, run, device)
    torch.library.register_fake(name, shapes, lib=library)
    op = getattr(getattr(torch.ops, namespace), short).default
    if operator.mutates:
        library.impl(short, counting_versions(torch, op, operator), "ADInplaceOrView", with_keyset=True)
    return op


def counting_versions(torch: Any, op: Any, operator: Operator) -> Callable[..., Any]:
    """Counts up the versions of what the operator writes, also where it is traced and its implementation does not run."""
    written = [i for i, p in enumerate(operator.inputs) if p in operator.mutates]

    def run(keyset: Any, *args: Any) -> Any:
        torch.autograd.graph.increment_version([args[i] for i in written])
        with torch._C._AutoDispatchBelowADInplaceOrView():
            return op.redispatch(keyset & torch._C._after_ADInplaceOrView_keyset, *args)

    return run


def implementation(torch: Any, operator: Operator) -> Callable[..., Any]:
    """Calls the function on real tensors. Those that are only read are made contiguous, and apart from those that are written."""
    function, names = operator.function, tuple(p.name for p in operator.inputs)
    read = [(i, function.aligned.get(p.name, 1)) for i, p in enumerate(operator.inputs)]
    read = [(i, size) for i, size in read if isinstance(p := operator.inputs[i], ArrayParam) and not p.written]
    written = [i for i, p in enumerate(operator.inputs) if p in operator.mutates]
    result = operator.signature.result
    first = next(i for i, p in enumerate(operator.inputs) if isinstance(p, ArrayParam))

    def run(*args: Any) -> Any:
        given = list(args)
        with torch.no_grad():  # the operator's own rule sees to gradients
            for i, size in read:
                given[i] = plain_tensor(given[i], size, [args[k] for k in written])
            out = function(**dict(zip(names, given)))
            if result is None:
                return out
            number, *arrays = out if isinstance(out, tuple) else (out,)
            value = torch.tensor(number, dtype=getattr(torch, DTYPES[result.name]), device=given[first].device)
            return (value, *arrays) if arrays else value

    return run


def plain_tensor(tensor: Any, alignment: int, written: Sequence[Any]) -> Any:
    tensor = tensor.resolve_neg().contiguous()
    unaligned = alignment > 1 and tensor.data_ptr() % alignment
    return tensor.clone() if unaligned or any(overlap(tensor, other) for other in written) else tensor


def overlap(a: Any, b: Any) -> bool:
    """May two tensors have an element in common? They have none if one of them ends before the other one starts."""
    (start, end), (first, last) = ((x.data_ptr(), x.data_ptr() + bytes_spanned(x)) for x in (a, b))
    return bool(start < last and first < end)


def bytes_spanned(tensor: Any) -> int:
    """From the first element to the end of the last one."""
    steps = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride()))
    return tensor.element_size() * (steps + 1) if tensor.numel() else 0


# Shapes


def symbolic_quotient(a: Any, b: Any) -> Any:
    return a // b if a >= 0 and b > 0 else quotient(a, b)


def fake(torch: Any, operator: Operator) -> Callable[..., Any]:
    """The shapes of what the operator returns, by the contract; sizes may be symbols."""
    s = operator.signature
    helpers = {**HELPERS, "quotient": symbolic_quotient, "min": torch.sym_min, "max": torch.sym_max}
    known = {p.name: (f"n{i}", INTEGER) for i, p in enumerate(s.params) if is_integer(p)}
    constants = {name: (f"({value})", INTEGER) for name, value in INT_CONSTANTS.items()}
    codes: dict[str, list[Any]] = {}
    for p in s.params:
        if isinstance(p, ArrayParam):
            texts = [None if d is None else size_text(d, {**constants, **known}) for d in p.dims]
            if p in operator.outputs and None in texts:
                raise CallError(f"{s.name}: the sizes of `{p.name}` are beyond what shapes can be computed from")
            codes[p.name] = [None if t is None else compile(t, f"<a size of {p.name}>", "eval") for t in texts]

    def run(*args: Any) -> Any:
        given = dict(zip((p.name for p in operator.inputs), args))
        for p in operator.inputs:
            if isinstance(p, ArrayParam):
                require_form(torch, s, p, given[p.name])
        bound = dict(given)
        s.infer_sizes(bound, symbolic=True)
        values = {**helpers, **{text: bound[name] for name, (text, _) in known.items()}}
        for p in operator.inputs:
            for have, code in zip(given[p.name].shape, codes[p.name]) if isinstance(p, ArrayParam) else ():
                if code is not None:
                    size = eval(code, values)
                    torch._check(have == size, lambda: f"{s.name}: an array has not the size that the contract says")
        device, *others = {given[p.name].device: None for p in operator.inputs if isinstance(p, ArrayParam)}
        if others:
            raise CallError(f"{s.name}: the arrays are not all on the same device ({device}, {others[0]})")
        made = [] if s.result is None else [torch.empty((), dtype=getattr(torch, DTYPES[s.result.name]), device=device)]
        for p in operator.outputs:
            shape = [eval(code, values) for code in codes[p.name]]
            made.append(torch.empty(shape, dtype=getattr(torch, DTYPES[p.elem.name]), device=device))
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    return run


def is_integer(p: ArrayParam | ScalarParam) -> bool:
    return isinstance(p, ScalarParam) and p.type.kind is Kind.INT


def require_form(torch: Any, s: Signature, p: ArrayParam, tensor: Any) -> None:
    s.rank(p, tuple(tensor.shape))
    if tensor.dtype is not getattr(torch, DTYPES[p.elem.name]):
        raise CallError(
            f"{s.name}: `{p.name}` holds {DTYPES[p.elem.name]}, not {str(tensor.dtype).removeprefix('torch.')}"
        )


# Gradients


def refuse_gradients(torch: Any, op: Any, operator: Operator, name: str) -> None:
    """Without a backward function, an error instead of a result that has lost its gradient."""
    short = name.partition("::")[2]

    def run(keyset: Any, *args: Any) -> Any:
        refuse_tangents(name, operator, args)
        if torch.is_grad_enabled():
            for p, x in zip(operator.inputs, args):
                if isinstance(p, ArrayParam) and x.requires_grad:
                    raise CallError(
                        f"{name}: `{p.name}` requires a gradient, and this operator has none: register it with backward=…, or "
                        "call it under torch.no_grad()"
                    )
        with torch._C._AutoDispatchBelowAutograd():
            return op.redispatch(keyset & torch._C._after_autograd_keyset, *args)

    _libraries[name].impl(short, run, "Autograd", with_keyset=True)


def refuse_tangents(name: str, operator: Operator, args: Sequence[Any]) -> None:
    """An error instead of a result that has lost its tangent. Within torch.func.jvp the implementation does not see tangents."""
    for p, x in zip(operator.inputs, args):
        if isinstance(p, ArrayParam) and has_tangent(x):
            raise CallError(
                f"{name}: `{p.name}` has a tangent of forward-mode differentiation, which this operator does not compute: give "
                "its primal (torch.autograd.forward_ad.unpack_dual)"
            )


def give_gradients(torch: Any, op: Any, gradient: Gradient, inner: Any, name: str) -> None:
    """As torch.library.register_autograd, but tangents are refused, which only this kernel sees."""
    backward = gradient.backward(torch, inner)

    def below(keyset: Any, args: Sequence[Any]) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return op.redispatch(keyset & torch._C._after_autograd_keyset, *args)

    def forward(ctx: Any, keyset: Any, *args: Any) -> Any:
        out = below(keyset, args)
        with torch._C._AutoDispatchBelowAutograd():
            gradient.setup(ctx, args, out, ctx.needs_input_grad[1:])
        return out

    methods = {
        "forward": staticmethod(forward),
        "backward": staticmethod(lambda ctx, *grads: (None, *backward(ctx, *grads))),
    }
    differentiable: Any = type(f"{name.replace('::', '_')}_gradient", (torch.autograd.Function,), methods)

    def run(keyset: Any, *args: Any) -> Any:
        refuse_tangents(name, gradient.of, args)
        if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in args):
            return differentiable.apply(keyset, *args)
        return below(keyset, args)

    _libraries[name].impl(name.partition("::")[2], run, "Autograd", with_keyset=True)


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of an operator by another one. `takes`: for each argument of that, the name of an input or output of the
    operator, or `grad_` and an output; `gives`: for each of its outputs, the input whose gradient it is."""

    of: Operator
    operator: Operator
    takes: tuple[str, ...]
    gives: tuple[str, ...]

    @property
    def kept(self) -> tuple[str, ...]:
        """What of inputs and outputs is needed later."""
        own = {p.name for p in (*self.of.inputs, *self.of.outputs)}
        return tuple(dict.fromkeys(n for n in self.takes if n in own))

    def setup(self, ctx: Any, inputs: Sequence[Any], output: Any, needs: Sequence[bool]) -> None:
        named = dict(zip((p.name for p in self.of.inputs), inputs))
        for p, needed in zip(self.of.inputs, needs):
            if needed and p.name not in self.gives:
                raise CallError(
                    f"{self.of.signature.name}: `{p.name}` requires a gradient, which its backward function "
                    f"{self.operator.signature.name} does not compute"
                )
        outputs = output if isinstance(output, tuple) else (output,)
        named |= {p.name: x for p, x in zip(self.of.outputs, outputs)}
        ctx.mark_non_differentiable(*(x for x in outputs if not x.is_floating_point()))
        ctx.set_materialize_grads(False)  # so that `backward` sees which gradients there are
        ctx.made = [(tuple(x.shape), x.dtype, x.device) for x in outputs]
        arrays = {p.name for p in (*self.of.inputs, *self.of.outputs) if isinstance(p, ArrayParam)}
        ctx.save_for_backward(*(named[n] for n in self.kept if n in arrays))
        ctx.numbers = {n: named[n] for n in self.kept if n not in arrays}

    def backward(self, torch: Any, op: Any) -> Callable[..., Any]:
        def run(ctx: Any, *grads: Any) -> Any:
            arrays = iter(ctx.saved_tensors)
            named = {n: ctx.numbers[n] if n in ctx.numbers else next(arrays) for n in self.kept}
            for p, g, (shape, dtype, device) in zip(self.of.outputs, grads, ctx.made):
                name = f"grad_{p.name}"
                if name in self.takes:
                    named[name] = torch.zeros(shape, dtype=dtype, device=device) if g is None else g
                elif g is not None:
                    raise CallError(
                        f"{self.of.signature.name}: a gradient comes from its output `{p.name}`, of which its backward function "
                        f"{self.operator.signature.name} takes none (use .detach() if `{p.name}` has no part in it)"
                    )
            out = op(*(named[n] for n in self.takes))
            computed = dict(zip(self.gives, out if isinstance(out, tuple) else (out,)))
            return tuple(computed.get(p.name) for p in self.of.inputs)

        return run


def gradient_of(operator: Operator, backward: Operator, names: Mapping[str, str]) -> Gradient:
    """Check that a backward function fits an operator."""
    s, b = operator.signature, backward.signature
    for of, what in ((operator, s), (backward, b)):
        if of.mutates:
            raise CallError(
                f"{what.name} changes `{of.mutates[0].name}` in place: no gradient can be given for or by it"
            )
        if what.result is not None:
            raise CallError(f"{what.name} returns a number: no gradient can be given for or by it")
    for name in names:
        if name not in {p.name for p in b.params}:
            raise CallError(f"{b.name} has no parameter `{name}` (it has {', '.join(p.name for p in b.params)})")
    known: dict[str, ArrayParam | ScalarParam] = {p.name: p for p in (*operator.inputs, *operator.outputs)}
    for p in operator.outputs:
        if f"grad_{p.name}" in known:
            raise CallError(
                f"{s.name}: `grad_{p.name}` is a parameter, and would be the gradient of its output `{p.name}` too: rename one"
            )
    known |= {f"grad_{p.name}": p for p in operator.outputs}
    gradients = {f"grad_{p.name}": p for p in operator.inputs if isinstance(p, ArrayParam)}
    takes = tuple(matched(b, p, names.get(p.name, p.name), known) for p in backward.inputs)
    gives = tuple(matched(b, p, names.get(p.name, p.name), gradients) for p in backward.outputs)
    taken = [(p, known[n]) for p, n in zip(backward.inputs, takes)]
    require_same_sizes(b, [*taken, *((p, gradients[n]) for p, n in zip(backward.outputs, gives))])
    if len({*gives}) < len(gives):
        raise CallError(f"{b.name} gives two gradients of one parameter")
    return Gradient(operator, backward, takes, tuple(n.removeprefix("grad_") for n in gives))


def matched(b: Signature, p: ArrayParam | ScalarParam, name: str, known: Mapping[str, ArrayParam | ScalarParam]) -> str:
    other = known.get(name)
    if other is None:
        raise CallError(
            f'{b.name}: what is `{p.name}`? `{name}` is none of {", ".join(known)} (names={{"{p.name}": …}})'
        )
    fits = (
        p.elem == other.elem and len(p.dims) == len(other.dims)
        if isinstance(p, ArrayParam) and isinstance(other, ArrayParam)
        else isinstance(p, ScalarParam) and isinstance(other, ScalarParam) and p.type == other.type
    )
    if not fits:
        raise CallError(f"{b.name}: `{p.name}` has another type than `{name}`")
    return name


def require_same_sizes(
    b: Signature, pairs: Sequence[tuple[ArrayParam | ScalarParam, ArrayParam | ScalarParam]]
) -> None:
    """The arrays of a backward function have the sizes of what they stand for; its own sizes may have other names."""
    sizes: dict[str, Expr] = {}
    arrays = [(p, q) for p, q in pairs if isinstance(p, ArrayParam) and isinstance(q, ArrayParam)]
    for p, q in arrays:
        sizes |= {
            d.name: e for d, e in zip(p.dims, q.dims) if isinstance(d, Var) and e is not None and d.name not in sizes
        }
    for p, q in arrays:
        for d, e in zip(p.dims, q.dims):
            if (
                d is not None
                and e is not None
                and free_vars(d) <= sizes.keys()
                and not same_value(substitute(d, sizes), e)
            ):
                have, want = ("".join(f"[{'' if x is None else print_expr(x)}]" for x in y.dims) for y in (p, q))
                raise CallError(f"{b.name}: `{p.name}{have}` has not the sizes of `{q.name}{want}`")
