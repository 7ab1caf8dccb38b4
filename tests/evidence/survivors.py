"""Side conditions whose removal no test notices, each with the reason why the kernel stays sound without it."""

from __future__ import annotations

FOUND_AGAIN = "what was found out before is found out again."
LESS = "less is known, found or tried then, and more refused."
SAME = "a shortcut: the longer way gives the same term."
FORM = "the term is written in another way and means the same; fewer equal terms are one."
RAISES = "what it keeps away raises an exception below."
TWICE = "a fact is said twice, or one that says nothing."
WEAKER = (
    "a fact is replaced by one that follows from all of them, so that nothing is added, whichever ones are looked at."
)
ANY_INDEX = "the law holds of whatever number a loose index stands for."
REALS = "bounds are asked of integers only, and no integer has the bound's real number as a factor."
TWOS_COMPLEMENT = "nothing is said of negative numbers, and the law is one of two's complement, as all the others are."

# (part of the name, reason); the first that fits counts.
SURVIVORS = [
    (
        "thread_conditions.memory_of · exact pattern · 'threads' (place 3) in ['SMem', False, False, 'threads']",
        "the case goes on to `require_group_size`, which refuses every context but that of threads.",
    ),
    (
        "branch_rules.join_if · refusal, one operand · before is None",
        "states in a branch are made by `enter_if` alone, which gives them one; the condition is for the type checker.",
    ),
    (
        "branch_rules._read_if · conjunct",
        "without it a pending read says that more was read, which is weaker and refuses more.",
    ),
    (
        "SideConditions.require_fact · conjunct, one operand · steps in",
        "an equation p = 0 without steps is put to the judge as p = 0, by this branch as by the other.",
    ),
    (
        "Judge._ask · refusal · if facts.guide.refutes",
        "the guide says which questions are not worth asking; the solver, which is asked then, is trusted.",
    ),
    ("Judge.proves · conjunct, one operand · count", "counts obligations, for the statistics."),
    ("Judge.proves · conjunct, one operand · answer in count", "counts obligations, for the statistics."),
    (
        "Judge._ask · conjunct, one operand · new in",
        "without new facts nothing new is proved: the question was asked before.",
    ),
    (
        "Judge._laws · conjunct, one operand · t.op in _WITH_LAWS",
        "nothing is said below of terms that are neither.",
    ),
    (
        "Judge._laws · conjunct, one operand · t.sort.numeric",
        "the functions that a law is about have numbers as results.",
    ),
    (
        "Judge._laws · conjunct, one operand · t.op == 'app'",
        "the first argument of a sum is its low end, and no integer has the name of a mathematical function.",
    ),
    (
        "thread_loop_conditions.context_after · asked · next_instruction(before, CountedLoop)",
        "before the body of a loop, the next instruction is the loop: `enter_loop` has seen to that.",
    ),
    (
        "loop_rules._families_after · strict zip · zip(entered.contract.exclusive, owners",
        "the loop above it has made one owner for each of the contract's.",
    ),
    ("loop_rules.leave_loop · check · assert before", "a loop's body has a state before it; for the type checker."),
    (
        "SideConditions.require_fits · refusal, one operand · state.next is None",
        "only rules for an instruction ask, so there is one; for the type checker.",
    ),
    ("SideConditions.in_memory · conjunct, one operand", LESS),
    (
        "loop_rules._invariants_at_end · conjunct, one operand · inv.value is not None",
        "a value that the contract does not tell has a name of its own: the equation says nothing of anything else.",
    ),
    (
        "loop_rules._invariants_at_end · conjunct, one operand · r.value.sort is INT",
        "of reals the same has been shown; bounds are asked of integers only.",
    ),
    (
        "straight_line_rules.let · conjunct, one operand · not c.judge.proves",
        "a number that fits is itself modulo 2^bits.",
    ),
    (
        "records.record · conjunct",
        "the classes have been made with it when it is removed; tests/kernel/test_conditions_needed.py compares records.",
    ),
    ("Ledger.__getattr__ · refusal", RAISES),
    ("judge.instance · refusal · if type(args)", RAISES),
    ("judge.instance · refusal, one operand · type(args)", RAISES),
    ("judge.instance · refusal, one operand · any((type(a)", RAISES),
    ("Judge.proves · law · if answer is None", FOUND_AGAIN),
    ("Judge._ask · selection · i.op in UNIVERSAL", RAISES),
    ("Judge._ask · selection · i.op not in UNIVERSAL", "the solver gets facts about all things, too, which are facts."),
    ("Judge._laws · law · if t.sort is INT", RAISES),
    ("laws_of_bits · selection · t.op != 'band'", "it holds of that, too."),
    ("laws_of_bits · conjunct · *bounds", LESS),
    ("Judge.proves · exception · if goal.op == 'and'", "the solver is asked for all parts at once."),
    ("Judge._laws · conjunct, one operand · not (p.level or q.level)", RAISES),
    (
        "sealed._kept · refusal, one operand · entry[0] is not x",
        "the table holds what it is about, so that nothing else has its id.",
    ),
    (
        "sealed._showing · conjunct, one operand · entry[0] is x",
        "the table holds what it is about, so that nothing else has its id.",
    ),
    ("equality.scaled_maximum_parts · conjunct, one operand · linear is not None", RAISES),
    (
        "equality.scaled_maximum_parts · conjunct, one operand · a.op in",
        "what is no maximum is its own only part: c * x + r is split into itself.",
    ),
    ("Facts._maximum · conjunct, one operand · len(t.args) <= MAX_COMPARED", "a limit on effort."),
    (
        "core.remembered · refusal",
        "functions have been given it before it is removed; tests/kernel/test_conditions_needed.py calls each with something else.",
    ),
    # What is remembered
    ("Facts.arbitrary · law · if len(sorts) not in self._larger", FOUND_AGAIN),
    ("Facts.assume · law · if tuple(new) not in self._larger", FOUND_AGAIN),
    ("Facts._simplify · law · if t not in self._simplified", FOUND_AGAIN),
    ("Facts.nonneg · law · if answer is None", FOUND_AGAIN),
    ("Facts._bounds_for · law · if self._bounds is None", FOUND_AGAIN),
    ("core.subterms · law · if a not in seen", "a subterm is looked at twice."),
    # Facts
    ("Facts.assume · selection", TWICE),
    ("Facts._set_items · selection", TWICE),
    ("BoundTable.add · law · if bound not in bounds", TWICE),
    ("facts._sharpened · selection · j is not i", TWICE),
    ("Facts._with · law · if choices", WEAKER),
    ("Facts._simplify_new · law · if self._deciding", LESS),
    ("Facts._with · selection", WEAKER),
    ("Facts._inside · conjunct, one operand · fact.op in", WEAKER),
    ("facts._sharpened · law · if k.le(q, ZERO) in items", LESS),
    ("Facts._simplify_new · guard · t.level == 0", "`assume` refuses a condition with a loose index."),
    ("Facts._simplify_new · guard · new.sort is not INT", "where there is no inverse, nothing is cancelled."),
    ("Facts._simplify_new · conjunct", "where there is no inverse, nothing is cancelled."),
    ("Facts._divide · law · if not self.nonneg(k.sub(d, ONE))", LESS),
    ("Facts._cancel · conjunct, one operand · a in m", RAISES),
    ("Facts._prove_junction · law · if g.op != 'or'", LESS),
    ("Facts._prove_junction · selection", "to prove something, one may assume that it is false."),
    ("Facts._prove · conjunct, one operand · solved(just_not) is not None", "`_excludes` asks for it again."),
    ("Facts._excludes · conjunct, one operand · solved(equation) is not None", "any equation may be assumed false."),
    ("Facts._contradictory · conjunct, one operand · i.args[0].sort is INT", RAISES),
    # The search for bounds
    ("Facts.nonneg · conjunct, one operand · possible", "advice: what is refuted is not proved either."),
    (
        "Elimination.proves_nonneg · refusal, one operand · len(self.tried) > MAX_INEQUALITIES",
        "ends a search that takes long.",
    ),
    ("Elimination.proves_nonneg · refusal, one operand · left <=", "ends a search that takes long."),
    ("Elimination.proves_nonneg · refusal, one operand · self.refuted", "ends a search that takes long."),
    ("Elimination.proves_nonneg · refusal · if left <=", "ends a search that takes long."),
    ("Elimination._by_bounds · refusal · if sign == 0", "a bound is on side 1 or -1, never on side 0."),
    ("Elimination._by_bounds · law · if tried == ATOMS_TRIED", LESS),
    ("BoundTable.add_all · check", LESS),
    ("BoundTable.add_definitions · check", LESS),
    ("Facts._bounds_for · law · if any((a.op in DEFINED", "more bounds are looked for, each of which holds."),
    (
        "Facts._bounds_for · conjunct, one operand · a.op in DEFINED",
        "more bounds are looked for, each of which holds.",
    ),
    (
        "Facts._bounds_for · conjunct, one operand · a not in bounds",
        "more bounds are looked for, each of which holds.",
    ),
    (
        "Facts._bounds_for · conjunct, one operand · a.args[1].op == 'fdiv'",
        "more divisors are asked if they are positive.",
    ),
    ("Facts._bounds_for · conjunct, one operand · a.level == 0", ANY_INDEX),
    ("BoundTable.add_definitions · refusal, one operand · a.sort is not INT", REALS),
    ("BoundTable.add_definitions · refusal", ANY_INDEX),
    ("BoundTable._add_factors · conjunct, one operand · item.args[0].sort is INT", REALS),
    ("BoundTable.add · conjunct, one operand · item.args[0].sort is INT", REALS),
    ("BoundTable._add_factors · selection", LESS),
    (
        "bounds.bounds_from · refusal",
        "the bound holds whatever else is in it, since what the atom is multiplied with is positive.",
    ),
    ("bounds.bounds_from · selection · n != m", LESS),
    ("monomials.linear_in · refusal", "p = a * v + q holds all the same if v is in a, whose sign is asked for."),
    (
        "BoundTable.at_least · conjunct, one operand · c is ONE",
        "c is positive, so that c * v >= 1 says v >= 1, and 0 likewise.",
    ),
    # Equations that are solved
    ("equations.without_quotient_vars · conjunct, one operand · x.sort is INT", "only integers get such a name."),
    (
        "equations.solved · law · if v not in rest.free",
        "the variable is replaced by something equal, in which it is again.",
    ),
    ("equations.solved · selection · m != (v,)", LESS),
    (
        "equations.solved · conjunct, one operand · m[0].op == 'var'",
        "only variables are replaced: the equation is lost.",
    ),
    (
        "equations.solved · conjunct, one operand · n[0].op == 'var'",
        "only variables are replaced: the equation is lost.",
    ),
    ("equations.solved · conjunct, one operand · p.sort is INT", "a quotient is an integer, and so is a sum with it."),
    ("equations.solved · conjunct, one operand · d.op == 'num'", "a name times a number is no number."),
    (
        "equations.solved · conjunct, one operand · len(q) == 1",
        "n = d * q + c says of any integer q that it is n div d.",
    ),
    ("equations.solved · conjunct, one operand · q[0].", "n = d * q + c says of any integer q that it is n div d."),
    (
        "equations.solved · conjunct, one operand · 0 <= (c :=",
        "no number has such a remainder: the facts contradict themselves.",
    ),
    (
        "equations.solved · conjunct, one operand · only",
        "no number has such a remainder: the facts contradict themselves.",
    ),
    ("monomials.split_multiple · law", LESS),
    # Terms
    ("core.Term.__repr__", "for messages."),
    ("core._key_of · law · if t.data is not None", "terms are ordered in another way."),
    ("arithmetic.mul · law · if not guarded", FORM),
    ("arithmetic.mul · conjunct, one operand · len(m) > 1", SAME),
    ("arithmetic.mul · conjunct, one operand · m1", SAME),
    ("arithmetic.mul · conjunct, one operand · m2", SAME),
    ("arithmetic.fdiv · selection", FORM),
    ("arithmetic.pow2 · conjunct, one operand · only 0 <= k.data", "it is a number, if a large one."),
    ("arithmetic.bitwise · conjunct, one operand · mask.data >= 0", TWOS_COMPLEMENT),
    ("arithmetic.max_ · conjunct, one operand · len(kept) > 1", SAME),
    ("booleans._compared · law · if g == 1", FORM),
    ("booleans._junction · selection", SAME),
    ("booleans.ite · law · if opposite < c", FORM),
    ("booleans.ite · law · if is_zero(a)", FORM),
    ("booleans._decided · law · if t.op != 'ite'", FORM),
    ("big_operators.big · conjunct, one operand · low in high.args", SAME),
    ("big_operators.big · selection · a is not low", SAME),
    ("big_operators.big · conjunct, one operand · op == 'all'", "only the body of `all` is a conjunction."),
    ("big_operators.big · check · assert initial", RAISES),
    ("binders.app · check · assert", RAISES),
    ("binders.shift · conjunct", SAME),
    ("Facts._simplify_new · selection · x.op == 'ite'", LESS),
    ("arithmetic.mul · refusal", "a limit on effort: products of more summands are true as well."),
    # exceptions: what returns before a law
    ("Facts.arbitrary · exception", SAME),
    ("Facts.assume · exception", SAME),
    ("Facts._inside · exception", LESS),
    ("Facts._simplify · exception", SAME),
    ("Facts._simplify_new · exception · if t.level > 0", ANY_INDEX),
    ("Facts._simplify_new · exception · if c is TRUE", SAME),
    ("Facts._simplify_new · exception · if self._deciding", "what it keeps away does not come to an end."),
    ("Facts._simplify_new · exception · if new in self.known", LESS),
    ("Facts._simplify_big · exception · if t.level > 0", RAISES),
    ("Facts._divide · exception", FORM),
    (
        "Facts._prove_junction · exception · if g.op != 'or'",
        "parts of such a goal are no propositions, or hold of every index, as the goal does, or were decided by simplifying it.",
    ),
    ("Facts._prove_junction · exception", LESS),
    ("Elimination.proves_nonneg · exception · if not any(cs)", LESS),
    ("Elimination._sign · exception", LESS),
    ("equations.without_quotient_vars · exception", SAME),
    ("equations.solved · exception", LESS),
    ("BoundTable.at_least · exception", LESS),
    ("arithmetic.scale · exception", SAME),
    ("arithmetic.mul · exception", SAME),
    ("arithmetic.fdiv · exception", FORM),
    ("arithmetic.bitwise · exception", FORM),
    ("arithmetic._real_atom · exception", FORM),
    ("arithmetic.trunc · exception", FORM),
    ("arithmetic.inv · exception", FORM),
    ("booleans.eq · exception", FORM),
    ("booleans._compared · exception · if g == 1", SAME),
    ("booleans._junction · exception", FORM),
    ("booleans.ite · exception", FORM),
    ("booleans._decided · exception", FORM),
    ("binders.app · exception", FORM),
    ("big_operators.big · exception", FORM),
    ("big_operators._fold_max · exception", FORM),
    ("big_operators._sum_of_product · exception", FORM),
    ("binders.rebuild · exception", SAME),
    ("binders.mentions_bound · exception · if t.level <= index", SAME),
    ("core.Term.__repr__ · exception", "says how terms are shown."),
]


def explained(name: str) -> str:
    return next((why for part, why in SURVIVORS if part in name), "")
