"""Side conditions whose removal no test notices, each with the reason why nothing untrue gets through without it."""

from __future__ import annotations

# (part of the name, reason); the first that fits counts.
SURVIVORS = [
    (
        "ThreadConditions._home · exact pattern · 'threads' (place 3) in ['SMem', False, False, 'threads']",
        "the case goes on to `_level`, which refuses every context but that of threads.",
    ),
    (
        "Rules.join_if · refusal, one operand · before is None",
        "states in a branch are made by `enter_if` alone, which gives them one; the condition is for the type checker.",
    ),
    ("rules._where · conjunct", "without it a mark says that more was read, which is weaker and refuses more."),
    (
        "Conditions._prove_fact · conjunct, one operand · steps in",
        "an equation p = 0 without steps is put to the judge as p = 0, by this branch as by the other.",
    ),
    (
        "Judge._ask · conjunct, one operand · not facts.guide.refutes",
        "the guide says which questions are not worth asking; the solver, which is asked then, is trusted.",
    ),
    ("Judge.proves · conjunct, one operand · count", "counts obligations, for the statistics."),
    ("Judge.proves · conjunct, one operand · facts.answers[goal] in count", "counts obligations, for the statistics."),
    (
        "Judge._ask · conjunct, one operand · new in",
        "without new facts nothing new is proved: the question was asked before.",
    ),
    (
        "Judge._laws · conjunct, one operand · t.op in ('app', 'sum')",
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
        "ThreadLoopConditions._context_after · asked · self._next(before, Loop)",
        "before the body of a loop, the next instruction is the loop: `enter_loop` has seen to that.",
    ),
    (
        "LoopRules.leave_loop · strict zip · zip(contract.exclusive, owners",
        "the loop above it has made one owner for each of the contract's.",
    ),
    ("LoopRules.leave_loop · check · assert before", "a loop's body has a state before it; for the type checker."),
]


def explained(name: str) -> str:
    return next((why for part, why in SURVIVORS if part in name), "")
