"""Errors of the text of a program: syntax, names and types."""

from __future__ import annotations

from optigpu.errors.error_row import ErrorRow

INPUT_ERRORS = (
    ErrorRow(
        "OG000",
        "unreadable file",
        "A file cannot be read: it does not exist, is not a file, is not UTF-8 text, or is too large.",
    ),
    ErrorRow(
        "OG001",
        "syntax error",
        "The text is not C as OptiGPU reads it. The caret stands where something else was expected.",
    ),
    ErrorRow(
        "OG002",
        "malformed token",
        "A string, comment or character that C does not have, or that has no end.",
    ),
    ErrorRow(
        "OG003",
        "malformed formula",
        "A formula inside an annotation is not well formed, for example two arrows without parentheses:\n"
        '  __consumes("(p ~~> 1) * (q ~~> 2)")',
    ),
    ErrorRow(
        "OG004",
        "construct outside the language",
        "A C construct that is not in the language. Loops are counted `for` loops, data are arrays of numbers.",
    ),
    ErrorRow(
        "OG005",
        "unexpected end",
        "The file or formula ends in the middle of something. The note shows what is still open.",
    ),
    ErrorRow(
        "OG006",
        "malformed number",
        "A number that is no C number, or does not fit.",
    ),
    ErrorRow(
        "OG007",
        "preprocessor line outside the language",
        "A preprocessor line other than #include of a project file, #define of a constant, or #pragma of a loop.",
    ),
    ErrorRow(
        "OG008",
        "malformed annotation",
        "An annotation in the wrong form: formulas stand in quotes, and annotations are statements.",
    ),
    ErrorRow(
        "OG009",
        "declaration outside the language",
        "A declaration that is not in the language, such as an array of pointers or a variable outside functions.",
    ),
    ErrorRow(
        "OG010",
        "statement without effect",
        "A statement without effect, or an assignment where an expression is expected.",
    ),
    ErrorRow(
        "OG011",
        "loop that does not count",
        "A loop that does not count: it needs an index declared in it, a bound, and a step.",
    ),
    ErrorRow(
        "OG012",
        "unknown or misplaced pragma",
        "A pragma that is not known, or that no loop follows.",
    ),
    ErrorRow(
        "OG013",
        "misplaced annotation",
        "An annotation in the wrong place: contracts stand at the start of the body they are about.",
    ),
    ErrorRow(
        "OG014",
        "unstructured jump",
        "`return` or `continue` where control flow would not be structured.",
    ),
    ErrorRow(
        "OG015",
        "program too large",
        "Nesting that is deeper, or a contract, program or value that is larger, than any program needs.",
    ),
    ErrorRow(
        "OG016",
        "Python outside the language",
        "A construct of Python that programs do not have. Programs are counted loops over arrays of numbers:\n"
        "`for i in og.range(n)`, `if`, assignments, calls of other programs and of mathematical functions.\n"
        "docs/python.md lists what there is.",
    ),
    ErrorRow(
        "OG017",
        "Python that would mean something else in C",
        "The text has a meaning in Python, and the program that it would become computes something else: `/` of\n"
        "integers, an index below zero, a variable that is read after its block or its loop has ended, or that changes its type.",
    ),
    ErrorRow(
        "OG018",
        "source of a Python program not available",
        "A program is made of the text of a Python function. The text is not there (`exec`), is no longer what Python runs, or a\n"
        "name that it uses has got another meaning.",
    ),
    ErrorRow(
        "OG019",
        "signature of a Python program",
        'Every parameter of a program has a type: `int`, `og.f32`, or `og.f32["n", "m"]` for an array and its sizes.',
    ),
    ErrorRow(
        "OG100",
        "unknown name",
        "A name that is not declared here. For names of the public OptiTrust library that have no meaning here, the help says\n"
        "what to write instead.",
    ),
    ErrorRow(
        "OG101",
        "name that cannot be declared",
        "A name that is declared twice, is built in or a macro of C's or CUDA's headers, or is used in its own initial\n"
        "value or in the range of its own loop.",
    ),
    ErrorRow(
        "OG102",
        "wrong type",
        "An expression of the wrong type.",
    ),
    ErrorRow(
        "OG103",
        "conversion that loses a value",
        "A conversion that would lose a fraction, or a literal that does not fit its type. Write the cast if it is meant.",
    ),
    ErrorRow(
        "OG104",
        "wrong number of arguments",
        "The wrong number of arguments.",
    ),
    ErrorRow(
        "OG105",
        "malformed allocation or built-in call",
        "An allocation or built-in call in the wrong form.",
    ),
    ErrorRow(
        "OG106",
        "index of something that is not memory",
        "Something is indexed or pointed to that is not memory, or with too many indices.",
    ),
    ErrorRow(
        "OG107",
        "assignment to a constant",
        "Something constant is assigned: a parameter, a loop index, a const. Copy it to a variable.",
    ),
    ErrorRow(
        "OG108",
        "variable's value in a formula",
        "A formula speaks of a variable's value. Formulas speak of memory by permissions: &x ~~> v.",
    ),
    ErrorRow(
        "OG109",
        "permission and fact confused",
        "A permission stands where a fact belongs, or the other way round.",
    ),
    ErrorRow(
        "OG110",
        "malformed contract",
        "A contract that is not well formed: `_Res` without a result, a definition without types, a greatest of nothing.",
    ),
    ErrorRow(
        "OG111",
        "wrong sizes in MINDEX",
        "The sizes in MINDEX are not those of the array.",
    ),
    ErrorRow(
        "OG112",
        "recursion",
        "Recursion is not in the language.",
    ),
    ErrorRow(
        "OG113",
        "wrong return",
        "A function returns a value and should not, or the other way round.",
    ),
    ErrorRow(
        "OG114",
        "wrong memory space",
        "Memory of one space is used as if it were of another.",
    ),
    ErrorRow(
        "OG115",
        "unknown ghost or wrong arguments",
        "A ghost that is not known, or that is given the wrong arguments. docs/ghosts.md lists the ghosts of the library. The\n"
        "same for `__with`, which gives values to the logical variables of the call before it.",
    ),
    ErrorRow(
        "OG116",
        "effect inside an expression",
        "A call that changes memory stands inside an expression, or a chained assignment changes what its targets depend on. "
        "C leaves the order open.",
    ),
    ErrorRow(
        "OG117",
        "logical variable in a program",
        "A logical variable is used in a program. It exists only in formulas.",
    ),
    ErrorRow(
        "OG118",
        "loop that changes its own bound",
        "The bound or step of a loop depends on memory that the loop changes.",
    ),
    ErrorRow(
        "OG119",
        "contract of a built-in function",
        "A built-in function of GPU programs is declared by a contract that is not its rule, or a function takes or gives an\n"
        "execution context (HostCtx, KernelSetupCtx, ThreadsCtx, KernelTeardownCtx) as no transition of a kernel does. A built-in\n"
        "function can be declared by the contract of its rule, which adds nothing; names and the order of clauses are free.",
    ),
)
