"""The sequential rules beside the finite model: contracts, straight-line code, machine integers, loops, calls, launches."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, Cells, box
from optigpu.logic.terms import FALSE, INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.inverse import invert
from tests.support.model import Memory, Misbehaved, Permissions, must_allow, permissions
from tests.support.model_runs import (
    B0,
    B1,
    CONTENT,
    FRESH,
    NINE,
    TWO,
    A,
    Counting,
    begun,
    compare,
    function,
    i,
    m,
    mapping,
    memories,
    n,
    random_claim,
    random_facts,
    random_take,
)
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

# The beginning and the end of functions


def contracts(r: Random) -> Counter[str]:
    """`begin` accepts only claims that some heap satisfies within the arrays; `finish` only those that this heap satisfies."""
    facts = random_facts(r, k.le(ZERO, n))
    pre = tuple(replace(random_claim(r), value=None, contents=r.choice([SOME, UNINIT])) for _ in range(r.randint(1, 2)))
    post = tuple(r.choice(pre) if r.random() < 0.6 else random_claim(r) for _ in range(r.randint(0, 2)))
    if r.random() < 0.4:
        post = pre[::-1]
    kernel = Counting(function((), facts, pre, post))
    inverses = []
    for c in pre:
        x = FRESH.temporaries(1)
        inverse = invert(c.cells, x, kernel.judge.root, FRESH)
        inverses.append(tuple(k.abstract(t, x) for t in inverse) if inverse else (B0,) * c.cells.arity)
    try:
        state = kernel.begin("f", tuple(inverses))
    except Rejected:
        return kernel.accepted
    runs = memories(facts, pre)
    for run in runs:
        assert all(0 <= at < run.env["n"] for _, (at,) in run.cells)
        full = run.claimed(pre)
        assert permissions(state, run.env).full.keys() == full
    try:
        kernel.finish(state, tuple(random_take(r, state, c) for c in post), ())
    except Rejected:
        return kernel.accepted
    for run in runs:
        assert run.claimed(pre) <= run.claimed(post), (facts, pre, post)  # nothing is left over
    return kernel.accepted


# Straight-line code


def random_value(r: Random, known: tuple[Term, ...]) -> Term:
    return r.choice([NINE, k.to_real(m), k.app(A, m), *known])


def random_place(r: Random, arrays: tuple[str, ...]) -> kc.CellAddress:
    index = r.choice([ZERO, m, k.sub(n, ONE), k.sub(k.sub(n, ONE), m), ONE, k.fdiv(n, TWO), k.neg(m)])
    return kc.CellAddress(r.choice(arrays), (index,))


def random_prop(r: Random) -> Term:
    return r.choice(
        [
            k.le(ZERO, m),
            k.lt(m, n),
            k.le(m, k.fdiv(n, TWO)),
            k.not_(k.eq(m, n)),
            k.lt(ZERO, k.mul(n, m)),
            k.le(ZERO, k.mul(m, m)),
        ]
    )


def random_ghost(r: Random) -> kc.GhostStep:
    pre, post = (tuple(random_claim(r) for _ in range(r.randint(0, 2))) for _ in range(2))
    return kc.GhostStep("g", (random_prop(r),) * r.randint(0, 1), pre, post, (random_prop(r),) * r.randint(0, 1))


def random_code(
    r: Random, depth: int, arrays: tuple[str, ...] = ("a",), known: tuple[Term, ...] = ()
) -> kc.Instructions:
    """Random code. Variables are set on every path before they are used; allocations are mostly freed at the end."""
    out: list[kc.Instruction] = []
    for _ in range(r.randint(1, 3)):
        match r.choice(
            ["store"] * 3
            + ["load"] * 2
            + ["let", "oblige", "assert", "ghost", "if", "allocate", "allocate"]
            + ["unroll"] * 3
        ):
            case "store":
                out.append(kc.StoreCell(random_place(r, arrays), random_value(r, known)))
            case "load" | "let" as kind:
                x = k.var(r.choice("xyz"), REAL)
                load = kc.LoadCell(x, random_place(r, arrays))
                out.append(load if kind == "load" else kc.Bind(x, random_value(r, known)))
                known = (*known, x)
            case "oblige":
                out.append(kc.Oblige(random_prop(r), kc.Obligation.DIVISION))
            case "assert":
                out.append(kc.Assertion(random_prop(r)))
            case "ghost":
                out.append(random_ghost(r))
            case "if" if depth:
                out.append(kc.Branch(random_prop(r), *(random_code(r, depth - 1, arrays, known) for _ in range(2))))
            case "unroll" if depth:
                body = (kc.StoreCell(kc.CellAddress(r.choice(arrays), (r.choice([i, k.sub(i, m)]),)), k.to_real(i)),)
                start, bound, step = (k.num(r.choice(ends)) for ends in ((-1, 0, 0, 1), (-1, 1, 2, 3), (0, 1, 1, 2)))
                mode = r.choice([kc.SEQUENTIAL] * 3 + [kc.PARALLEL])
                out.append(kc.CountedLoop(i, start, r.choice(["<", "<="]), r.choice([bound, n]), "+", step, body, mode))
            case "allocate" if depth:
                name = f"t{depth}"
                size = r.choice([n, n, n, m, k.num(2), k.sub(n, m), k.num(-1), ZERO])
                inner = random_code(r, depth - 1, (*arrays, name), known)
                out += [kc.Allocate(name, REAL, (size,)), *inner, *([kc.Release(name)] if r.random() < 0.8 else [])]
    return tuple(out)


def executed(r: Random, kernel: Counting, state: State, runs: list[Memory]) -> State:
    """Apply the rules and run the same code: a step that the kernel accepts fails in no run."""
    while state.code:
        instr = state.code[0]
        match instr:
            case kc.Branch(test):
                yes, no = kernel.enter_if(state)
                ways = [run.value(test) for run in runs]
                yes = executed(r, kernel, yes, [run for run, way in zip(runs, ways) if way])
                no = executed(r, kernel, no, [run for run, way in zip(runs, ways) if not way])
                state = kernel.join_if(yes, no)
            case kc.CountedLoop():
                before, state = state.code, kernel.unroll(state)
                for run in runs:
                    expected = [kc.Bind(instr.index, k.num(v)) for v in counted(instr, run.env)]
                    added = state.code[: len(state.code) - len(before) + 1]
                    assert [j for j in added if isinstance(j, kc.Bind)] == expected
            case _:
                state = by_rule(r, kernel, state, instr)
                for run in runs:
                    run.step(instr)
        compare(state, runs)
        state = rewritten(r, kernel, state)
        compare(state, runs)
    return state


def by_rule(r: Random, kernel: Counting, state: State, instr: kc.Instruction) -> State:
    match instr:
        case kc.LoadCell(_, place) | kc.StoreCell(place):
            number = next((f for f, x in state.held.items() if x.cells.base == place.base), 1)
            rule = kernel.load if isinstance(instr, kc.LoadCell) else kernel.store
            return rule(state, number, state.values(place.index) if r.random() < 0.95 else (ZERO,))
        case kc.Release(base):
            number = next((f for f, x in state.held.items() if x.cells.base == base), 1)
            return kernel.free(state, number, (B0,))
        case kc.GhostStep():
            takes = tuple(random_take(r, state, c) for c in (*instr.pre, *instr.post))
            return kernel.ghost(state, takes, ((),) * len(instr.ensures))
        case kc.Assertion():
            return kernel.assertion(state, ())
        case _:
            rules = {kc.Bind: kernel.let, kc.Allocate: kernel.allocate, kc.Oblige: kernel.oblige}
            return rules[type(instr)](state)


def rewritten(r: Random, kernel: Counting, state: State) -> State:
    """Restate the contents of a family by a random other term, which the kernel may reject; or name them, or unfold names."""
    number = r.choice(list(state.held))
    names = list(state.definitions)
    if names and r.random() < 0.4:
        return kernel.unfold(state, (r.choice(names),))
    if r.random() < 0.3:
        return kernel.tidy(state, number)
    if r.random() < 0.2:
        return kernel.name(state, number)
    if r.random() < 0.6:
        return state
    known = r.choice([TRUE, FALSE, k.lt(B0, m), k.not_(k.eq(B0, ZERO))])
    value = r.choice([state.held[number].value, CONTENT, NINE])
    try:
        return kernel.restate(state, number, known, value, ())
    except Rejected:
        return state


def straight(r: Random) -> Counter[str]:
    """Loads, stores, allocations, branches, proof steps, unrolled loops: contents after each step are those of a run."""
    facts = random_facts(r, k.le(ZERO, m), k.lt(m, n))
    kernel, state, runs = begun(r, random_code(r, 2), facts, init=r.choice([KNOWN, KNOWN, UNINIT]))
    with suppress(Rejected):
        executed(r, kernel, state, runs)
    return kernel.accepted


# Machine integers


def machine_code(r: Random, known: tuple[Term, ...]) -> kc.Instructions:
    """Computations modulo 2^bits, unknown numbers, and a cell `c` of a small type."""
    out: list[kc.Instruction] = []
    for number in range(r.randint(2, 6)):
        x, y = k.var(f"x{number}", INT), r.choice(known)
        value = r.choice([y, k.add(y, ONE), k.sub(y, m), k.mul(y, TWO), k.num(3), k.max_(y, ZERO), k.fmod(y, k.num(4))])
        match r.choice(["let", "wrap", "choose", "store", "store", "load"]):
            case "let":
                out.append(kc.Bind(x, value))
            case "wrap":
                out.append(kc.Bind(x, value, r.choice([1, 2, 3])))
            case "choose":
                out.append(kc.Havoc(x, r.choice([None, (-2, 3), (0, 1)])))
            case "store":
                out.append(kc.StoreCell(kc.CellAddress("c", ()), value))
                continue
            case _:
                out.append(kc.LoadCell(x, kc.CellAddress("c", ())))
        known = (*known, x)
    return tuple(out)


def inverses(r: Random) -> Counter[str]:
    """A function has a left inverse only where it is injective; nothing else is known of the inverse."""
    f = k.var("f", k.fun_sort((INT,), INT))
    table = [r.randint(0, 6) for _ in range(4)]
    low, high = (k.num(r.randint(0, 4)) for _ in range(2))
    values = tuple(k.eq(k.app(f, k.num(at)), k.num(value)) for at, value in enumerate(table))
    kernel = Counting(function((), values, ()))
    state = kernel.begin("f", ())
    with suppress(Rejected):
        after = kernel.inverse(state, f, low, high)
        taken = table[low.data : high.data]
        assert len(set(taken)) == len(taken), (table, low, high)
        before = {x for t in state.facts.assumptions for x in t.free}
        for fact in after.facts.assumptions[len(state.facts.assumptions) :]:
            (g,) = fact.free - before - {f}
            environment = {"f": lambda at: table[at], str(g.data): lambda value: table.index(value, low.data)}
            assert evaluate(fact, environment)
    return kernel.accepted


def machine(r: Random) -> Counter[str]:
    """What is stored is a number of its type in every run, what is known of it is true, and unsigned numbers wrap."""
    limits = r.choice([(-4, 3), (0, 7), (0, 3), (-128, 127)])
    code = (
        kc.Allocate("c", INT, (), heap=False, limits=limits),
        kc.StoreCell(kc.CellAddress("c", ()), ZERO),
        *machine_code(r, (n, m)),
    )
    facts = random_facts(r, k.le(ZERO, m), k.le(m, k.num(2)), k.le(n, k.num(3)))
    kernel = Counting(function(code, facts, ()))
    state = kernel.begin("f", ())
    runs = [run.env for run in memories(facts, ())]
    with suppress(Rejected):
        while state.code:
            instr = state.code[0]
            number = next(iter(state.held), 0)
            match instr:
                case kc.Havoc(x, bounds):
                    state = kernel.choose(state)
                    fresh = str(state.env[x].data)
                    assert all(fresh not in env for env in runs)  # nothing was known of it
                    low, high = bounds or (-9, 9)
                    runs = [{**env, str(x.data): v, fresh: v} for env in runs for v in {low, 0, high}]
                case kc.Bind(x, value, bits):
                    state = kernel.let(state)
                    for env in runs:
                        v = evaluate(value, env)
                        env[str(x.data)] = v % 2**bits if bits else v
                case kc.StoreCell(_, value):
                    state = kernel.store(state, number, ())
                    for env in runs:
                        env["c"] = evaluate(value, env)
                        assert limits[0] <= env["c"] <= limits[1]
                case kc.LoadCell(x):
                    state = kernel.load(state, number, ())
                    for env in runs:
                        env[str(x.data)] = env["c"]
                case _:
                    state = kernel.allocate(state)
            for env in runs:
                assert all(evaluate(f, env) for f in state.facts.assumptions), (code, env)
                assert all(evaluate(t, env) == env[str(x.data)] for x, t in state.env.items())
    return kernel.accepted


# Loops


def counted(loop: kc.CountedLoop, env: dict[str, Any]) -> list[int]:
    """The values that the loop index takes in C."""
    v, bound, step = (evaluate(t, env) for t in (loop.start, loop.bound, loop.amount))
    out = []
    while {"<": v < bound, "<=": v <= bound, ">": v > bound, ">=": v >= bound}[loop.relation]:
        if step <= 0:
            raise Misbehaved("endless")
        out.append(v)
        v += step if loop.op == "+" else -step
    return out


def random_loop(r: Random) -> tuple[kc.CountedLoop, Term]:
    """A loop that writes a cell in each iteration, and the cell."""
    up = r.random() < 0.6
    low, high = r.choice([ZERO, ZERO, ONE, k.num(-1), m]), r.choice([n, n, m, k.sub(n, ONE), k.fdiv(n, TWO), k.num(3)])
    relation = r.choice(["<", "<", "<="] if up else [">", ">=", ">="])
    start, bound = (low, high) if up else (k.sub(high, ONE), low)
    turned = k.sub(k.sub(n, ONE), i)
    index = r.choice([i, i, i, turned, k.scale(2, i), k.add(i, ONE), k.fdiv(i, TWO), k.fmod(i, TWO), ZERO, k.sub(i, m)])
    body = (kc.StoreCell(kc.CellAddress("a", (index,)), r.choice([NINE, k.to_real(i), k.app(A, k.add(i, m))])),)
    mode = r.choice([kc.SEQUENTIAL, kc.PARALLEL])
    return kc.CountedLoop(
        i, start, relation, bound, "+" if up else "-", k.num(r.choice([1, 1, 2, 3])), body, mode
    ), index


def exclusive(r: Random, state: State, range_: IterationRange, index: Term, value: Term) -> LoopContract:
    """Each iteration has the cell that it writes."""
    under = k.instantiate(k.abstract(index, (i,)), (range_.index,))
    cells = Cells("a", ((range_.low, range_.high),), TRUE, (under,))
    have = state.held[1].cells
    now = k.instantiate(k.abstract(value, (i,)), (range_.index,))
    return LoopContract(
        (Exclusive(1, cells, mapping(r, have, cells, state), mapping(r, cells, have, state), TRUE, now),)
    )


def invariant(range_: IterationRange, index: Term, value: Term) -> LoopContract:
    """After v iterations, the cells of those below v have been written; true of loops that go through all cells in turn."""
    done = k.lt(B0, k.instantiate(range_.index, (B1,)))
    new = k.instantiate(k.abstract(value, (i,)), (B0,))
    return LoopContract((), (Invariant(1, TRUE, k.ite(done, new, CONTENT)),))


def loops(r: Random) -> Counter[str]:
    """After a loop, contents are those of a run. In its body, the cells of other iterations are at most readable."""
    facts = random_facts(r)
    loop, index = random_loop(r)
    store = loop.body[0]
    assert isinstance(store, kc.StoreCell)
    alone = r.random() < 0.6
    kernel, state, runs = begun(r, (loop,), facts, init=r.choice([KNOWN, UNINIT]) if alone else KNOWN)
    try:
        range_ = kernel.range_of(state, loop)
        for run in runs:
            vs = range(evaluate(range_.low, run.env), evaluate(range_.high, run.env))
            assert [evaluate(range_.index, run.env, (v,)) for v in vs] == counted(loop, run.env)
        if alone:
            contract = exclusive(r, state, range_, index, store.value)
        else:
            contract = invariant(range_, index, store.value)
        body = kernel.enter_loop(state, contract)
        if alone:
            check_body(body, loop, index, runs, alone)
        number = next(f for f, x in body.held.items() if x.share == FULL)
        end = kernel.store(body, number, () if alone else body.values((index,)))
        after = kernel.leave_loop(end, ((),) if alone else (), () if alone else ((),))
    except Rejected:
        return kernel.accepted
    check_body(body, loop, index, runs, alone)  # of an invariant only now, since it has been proved to be one
    for run in runs:
        for v in counted(loop, run.env):
            run.env["i"] = v
            run.step(store)
    compare(after, runs)
    return kernel.accepted


def check_body(body: State, loop: kc.CountedLoop, index: Term, runs: list[Memory], alone: bool) -> None:
    """In iteration v, an array is held as the iterations before it leave it; other iterations do not have its exclusive cell."""
    entered = entered_loop(body)
    for run in runs:
        now = Memory(dict(run.env), dict(run.cells))
        taken = set[Any]()
        low = evaluate(entered.range.low, run.env)
        for count, v in enumerate(counted(loop, run.env)):
            env = {**run.env, str(entered.v.data): low + count}
            held_permissions = permissions(body, env)
            if alone:
                (cell,) = held_permissions.full
                assert cell == ("a", (evaluate(index, {**run.env, "i": v}),)) and cell not in taken
                taken.add(cell)
                assert held_permissions.full.keys() | held_permissions.lent.keys() <= run.cells.keys()
            else:
                must_allow(held_permissions, Permissions(full=now.cells))
            now.env["i"] = v
            now.step(loop.body[0])


# Calls


def calls(r: Random) -> Counter[str]:
    """g(count, &a[shift]) sets its cells to 7 and gives them back in another order; it may read one more."""
    count, shift = (
        r.choice([n, m, ONE, k.sub(n, m), k.fdiv(n, TWO)]),
        r.choice([ZERO, ZERO, m, ONE, k.sub(n, m), k.num(-1)]),
    )
    other = r.choice([None, ZERO, m, k.add(shift, count)])
    size = k.var("k", INT)
    full, read = CellClaim(box("y", (size,)), SOME), CellClaim(box("z", (ONE,)), SOME, None, READ)
    pre = (full,) if other is None else (full, read)
    params = [kc.Parameter("k", INT), kc.Parameter("y", REAL, (size,)), kc.Parameter("z", REAL, (ONE,))][: 1 + len(pre)]
    turned = k.sub(k.sub(size, ONE), B0)
    order = r.choice([B0, turned])
    post = CellClaim(Cells("y", ((ZERO, size),), TRUE, (order,)), KNOWN, k.to_real(order))
    g = kc.Procedure(
        "g", tuple(params), kc.ProcedureContract((), (k.le(ZERO, size),), pre, (post,), ()), (), admitted=True
    )
    views = (kc.ArrayView("a", (), shift), kc.ArrayView("a", (), other or ZERO))
    facts = random_facts(r)
    code = (kc.Invoke(None, "g", (count, *views[: len(pre)])),)
    claim = CellClaim(box("a", (n,)), KNOWN, CONTENT)
    kernel = Counting(function(code, facts, (claim,)), g)
    state, runs = kernel.begin("f", ((B0,),)), memories(facts, (claim,))
    takes = [Take(1, (k.add(s, B0),), (k.sub(B0, s),)) for s in (shift, other or ZERO)]
    back = k.substitute(turned, {size: count})
    gives = r.choice([(), (Take(1, (k.add(shift, back),), (k.sub(back, k.neg(shift)),)),)])
    try:
        after = kernel.call(state, (), tuple(takes[: len(pre)]), ((),), gives if order is turned else ())
    except Rejected:
        return kernel.accepted
    for run in runs:
        first, many = run.value(shift), run.value(count)
        written = {("a", (first + j,)): j for j in range(many)}
        if many < 0 or not written.keys() <= run.cells.keys():
            raise Misbehaved("outside")
        if other is not None and ("a", (run.value(other),)) not in run.cells.keys() - written.keys():
            raise Misbehaved("read and written, or outside")
        run.cells.update(written)
    compare(after, runs)
    return kernel.accepted


# Launching


def launches(r: Random) -> Counter[str]:
    """A launch is within the limits of a block, phases come in order, and the threads are those of all blocks."""
    facts = random_facts(r, *r.sample([k.le(ONE, m), k.le(m, k.num(1024)), k.le(n, k.num(1024)), k.le(ZERO, n)], 3))
    grid, block, shared = (
        r.choice([n, m, k.num(2), k.num(-1), ZERO]),
        r.choice([n, m, m, k.num(4), ZERO, k.num(1025)]),
        r.choice([ZERO, m, k.num(64), k.num(-1)]),
    )
    phases = r.choice([["threads", "teardown", "host"]] * 3 + [["teardown"], ["threads", "host"], ["host"]])
    register = kc.Allocate("p", REAL, (), "TReg", False, True, 4)
    inside = (register,) if r.random() < 0.3 else ()
    code: list[kc.Instruction] = [kc.LaunchKernel(grid, block, shared)]
    for to in phases:
        code += [kc.Phase(to), *(inside if to == "threads" else ())]
    kernel, state, runs = begun(r, tuple(code), facts)
    expected = "setup"
    try:
        state = kernel.launch(state)
        for run in runs:
            g, b, s = (run.value(t) for t in (grid, block, shared))
            if g < 0 or not 1 <= b <= 1024 or not 0 <= s <= 227 * 1024:
                raise Misbehaved(f"launched with {g}, {b}, {s}")
        while state.code:
            if isinstance(state.code[0], kc.Allocate):
                state = kernel.allocate(state)
                for run in runs:
                    copies = {c: o for c, o in permissions(state, run.env).owners.items() if c[0] == "p"}
                    assert copies == {("p", (t,)): {t} for t in range(run.value(k.mul(grid, block)))}
                continue
            to = state.code[0].to  # type: ignore[union-attr]
            state = kernel.phase(state)
            assert {"setup": "threads", "threads": "teardown", "teardown": "host"}[expected] == to
            expected = to
            assert not (inside and to == "teardown"), "registers are left"
            for run in runs:
                threads = {"threads": run.value(k.mul(grid, block)), "teardown": 0, "host": 1}[to]
                assert evaluate(state.context.threads, run.env) == threads
    except Rejected:
        return kernel.accepted
    assert expected != "host" or state.context.kind == "host"
    return kernel.accepted
