"""`optigpu explain CODE`: what an error means, an example, and what to do. One entry for every code there is."""

from __future__ import annotations

EXPLANATIONS: dict[str, str] = {
    "OG000": "A file cannot be read: it does not exist, is not a file, is not UTF-8 text, or is too large.",
    "OG001": "The text is not C as OptiGPU reads it. The caret stands where something else was expected.",
    "OG002": "A string, comment or character that C does not have, or that has no end.",
    "OG003": "A formula inside an annotation is not well formed, for example two arrows without parentheses:\n"
    '  __consumes("(p ~~> 1) * (q ~~> 2)")',
    "OG004": "A C construct that is not in the language. Loops are counted `for` loops, data are arrays of numbers.",
    "OG005": "The file or formula ends in the middle of something. The note shows what is still open.",
    "OG006": "A number that is no C number, or does not fit.",
    "OG007": "A preprocessor line other than #include of a project file, #define of a constant, or #pragma of a loop.",
    "OG008": "An annotation in the wrong form: formulas stand in quotes, and annotations are statements.",
    "OG009": "A declaration that is not in the language, such as an array of pointers or a variable outside functions.",
    "OG010": "A statement without effect, or an assignment where an expression is expected.",
    "OG011": "A loop that does not count: it needs an index declared in it, a bound, and a step.",
    "OG012": "A pragma that is not known, or that no loop follows.",
    "OG013": "An annotation in the wrong place: contracts stand at the start of the body they are about.",
    "OG014": "`return` or `continue` where control flow would not be structured.",
    "OG015": "Nesting that is deeper, or a contract, program or value that is larger, than any program needs.",
    "OG100": "A name that is not declared here.",
    "OG101": "A name that is declared twice, is built in or a macro of C's or CUDA's headers, or is used in its own initial\n"
    "value or in the range of its own loop.",
    "OG102": "An expression of the wrong type.",
    "OG103": "A conversion that would lose a fraction, or a literal that does not fit its type. Write the cast if it is meant.",
    "OG104": "The wrong number of arguments.",
    "OG105": "An allocation or built-in call in the wrong form.",
    "OG106": "Something is indexed or pointed to that is not memory, or with too many indices.",
    "OG107": "Something constant is assigned: a parameter, a loop index, a const. Copy it to a variable.",
    "OG108": "A formula speaks of a variable's value. Formulas speak of memory by permissions: &x ~~> v.",
    "OG109": "A permission stands where a fact belongs, or the other way round.",
    "OG110": "A contract that is not well formed: `_Res` without a result, a definition without types, a greatest of nothing.",
    "OG111": "The sizes in MINDEX are not those of the array.",
    "OG112": "Recursion is not in the language.",
    "OG113": "A function returns a value and should not, or the other way round.",
    "OG114": "Memory of one space is used as if it were of another.",
    "OG115": "A ghost that is not known, or that is given the wrong arguments.",
    "OG116": "A call that changes memory stands inside an expression, where C leaves the order open.",
    "OG117": "A logical variable is used in a program. It exists only in formulas.",
    "OG118": "The bound or step of a loop depends on memory that the loop changes.",
    "OG201": "A run accessed an element outside its array, or made a pointer to one, or allocated a negative size.",
    "OG202": "A run read memory before anything was written to it.",
    "OG203": "A run used memory after it was freed.",
    "OG204": "A run freed something twice, or something that was not allocated.",
    "OG205": "A run ended without freeing an allocation.",
    "OG206": "A run divided by zero.",
    "OG207": "A run called exact_div(a, b) with b not dividing a.",
    "OG208": "A run shifted by a negative amount or too far, or applied a bit operation to a negative number.",
    "OG209": "A run computed an integer that does not fit its machine type.",
    "OG210": "Two iterations of a parallel loop, or two threads of a kernel, accessed the same cell, at least one of them\n"
    "writing, and nothing orders them. Threads of a block are ordered by blocksync(), those of different blocks by nothing before\n"
    "the kernel ends.",
    "OG211": "A call did not satisfy the precondition of the called function.",
    "OG212": "A function ended without its postcondition being true.",
    "OG213": "A loop contract was not true in a run.",
    "OG214": "An assertion was not true in a run.",
    "OG215": "A function used memory that its contract does not mention, or wrote what it only reads.",
    "OG216": "A loop that would never end.",
    "OG217": "The contract claims the same cell twice.",
    "OG218": "An array is passed with other inner sizes than the parameter declares.",
    "OG220": "A thread loop ran a number of iterations that does not divide the number of threads that came to it.",
    "OG221": "blocksync() or a shared array at another level than that of a block, or a warp operation at another level than\n"
    "that of the 32 threads of a warp.",
    "OG222": "A barrier was reached by a part of its threads: the others wait elsewhere, or have ended.",
    "OG223": "Host code accessed device memory, or device code host memory. memcpy_host_to_device1 and the like cross.",
    "OG224": "A thread accessed a register of another thread, or the shared memory of another block.",
    "OG225": "The shared arrays of a block took more bytes than kernel_launch asked for.",
    "OG226": "A launch out of order: host, kernel_launch, kernel_setup_end, device code, kernel_teardown_begin, kernel_kill, host.",
    "OG227": "A kernel was launched with more than the hardware has: 1024 threads a block, 227 KB of shared memory.",
    "OG228": "A store or a local variable where several threads run the same code. It takes thread loops down to single threads.",
    "OG229": "A vector access to cells whose offset is not a multiple of its width.",
    "OG300": "The program uses something that the checker cannot speak about yet. Nothing is claimed about it.",
    "OG302": "An access is not shown to be to a cell that is held. Holding a cell means being within the array and having\n"
    "permission; `need` shows the cell, `have` the cells there are. Usual causes: a bound that is off by one, a size that the\n"
    "contract does not relate to the loop's bound, memory that was freed.",
    "OG303": "Memory is written that the contract only reads.",
    "OG304": "A cell is read that may not have been written: not on every path, or not for every size.",
    "OG305": "At the end of the function, an array does not hold what the contract promises. `need` is what is promised,\n"
    "`have` what the program computes.",
    "OG306": "The contract promises cells that are not all written, or not all held, at the end.",
    "OG307": "A fact in __ensures does not follow.",
    "OG308": "Memory is lost: an allocation that is never freed, or a permission that is not given back.",
    "OG309": "Something is freed that is not an allocation, not held completely, or already freed.",
    "OG310": "A division by something that may be zero.",
    "OG311": 'exact_div(a, b) needs a fact that b divides a, for example __requires("n % 16 == 0").',
    "OG312": "Shifts and bit operations take numbers that are not negative.",
    "OG313": "A conversion to another integer type may change the number. A cast to an unsigned type is computed modulo 2^bits.",
    "OG314": "An allocation needs sizes that are not negative.",
    "OG315": "A fact that the called function requires does not follow here.",
    "OG316": "Memory that the called function requires is not held here, overlaps with another argument, or holds something else.",
    "OG317": "The inner sizes of an array argument must be those the parameter declares: they fix where its elements lie.",
    "OG318": "An invariant, written or inferred, does not hold before the loop or is not kept by its body.",
    "OG319": "What this loop does to the memory named follows none of the known laws (each iteration its own cells, sums and\n"
    "other accumulations, scratch). Say what the memory holds at the start of iteration i:\n"
    '  __spreserves("&x ~~> …");',
    "OG320": "One branch of an if allocates, frees or gives away something and the other does not.",
    "OG321": "An assertion does not follow.",
    "OG322": "A ghost, or the contract of a loop, says something that does not hold: a requirement, or what memory holds.",
    "OG323": "Two claims of a contract may speak of the same cell. No caller could fulfil that.",
    "OG324": "A parallel loop whose iterations are not independent: they accumulate into, or otherwise share, the memory named.",
    "OG325": "The step of a loop must be positive, or the loop would not end.",
    "OG326": "Two iterations may write the same cell.",
    "OG330": "A verified function may only call verified functions. Fix the called one first.",
    "OG331": "A logical variable of the called function is not determined by the memory it is called with.",
    "OG332": "A contract claims a[i] for an i that is not shown to be within the sizes that a is declared with.",
    "OG333": "The square root of a number that may be negative, or the logarithm of one that may not be positive.",
    "OG334": "A local array has at least one element: what happens with none C leaves open. MALLOC1 may allocate none.",
    "OG335": "A pointer goes to an element of its array, or to the place after the last one: &a[n]. C has no others, not\n"
    "even where nothing is accessed through them: &a[n + 5] may not be formed. A pointer into a row needs that row.",
    "OG336": "A number may not fit the machine type of the variable, cell, index, argument or result that it is put into. Give a\n"
    "bound in the contract, or a wider type. `optigpu check --integers unbounded` assumes it, and says where.",
    "OG340": "Two threads of one thread loop access the same cell and at least one of them writes it. No barrier helps: each\n"
    "thread needs cells of its own.",
    "OG341": "A thread accesses a cell that another thread of its block wrote, and no barrier lies between. Put blocksync()\n"
    "between the two loops, where the whole block runs.",
    "OG342": "A thread writes a cell that another thread of its block may still be reading: write after read. Put blocksync()\n"
    "between the two loops; in a loop with a barrier, often a second one is needed at the end of the body.",
    "OG343": "Two blocks access the same cell in one kernel and at least one of them writes it. Blocks run in any order and\n"
    "cannot wait for each other: split the kernel in two.",
    "OG344": "Registers belong to a thread and shared memory to a block; nobody else can access them.",
    "OG345": "A barrier is reached by a group of threads that it is not for. blocksync() stands where a whole block runs:\n"
    "inside the thread loops over blocks, outside of those over threads. A thread-dependent condition around it is\n"
    "rejected for the same reason.",
    "OG346": "Something that single threads do (a store) or that a block does (declaring shared memory) stands where another\n"
    "number of threads runs; or a device function is called by another number than its contract names: ThreadsCtx(32), or a\n"
    "single thread where it names none.",
    "OG347": "`thread for (i < N)` divides the threads of its group into N equal parts. Their number must be N times\n"
    "something; over all nested loops the extents multiply to the launched number of threads.",
    "OG348": "Host code accesses host memory, threads access global, shared and register memory. memcpy copies between the\n"
    "two.",
    "OG349": "A limit of the hardware or of the launch is exceeded: 1024 threads a block, 227 KiB of shared memory a block,\n"
    "and no more shared memory than kernel_launch asks for; what is declared counts in bytes, all that lives at one\n"
    "time together.",
    "OG350": "A kernel goes through phases: kernel_launch, allocation of shared memory, kernel_setup_end, its threads,\n"
    "kernel_teardown_begin, freeing, kernel_kill. Each statement has its place in them.",
    "OG351": "Shared memory that was allocated before kernel_setup_end is freed, with its sizes, before kernel_kill.",
    "OG352": "A __shared__ array in a loop uses the same memory in each iteration, so threads must be done with it at the end\n"
    "of the body: put blocksync() there.",
    "OG353": "A vector load or store of n cells starts at an offset (from the start of the array, row by row) that n divides.",
    "OG354": "The amount of a shuffle is a lane or a distance between lanes: 0 to 31.",
    "OG360": "No input satisfies the precondition, so anything at all would be proved of the function. The clauses that\n"
    "contradict each other are shown; types of parameters count (a uint8_t is not 300, an array has no negative size), and so do\n"
    "axioms. `optigpu check -v` shows an input for a precondition that has one.",
    "OG361": "A part of a formula may have no value: a division by zero, the greatest of no numbers, the square root of a\n"
    "negative number, A(i) where the array that holds A has no cell i. Its surroundings have to exclude that:\n"
    '  __ensures("y != 0 ==> _Res == x / y"), __ensures("_Res == (0 < i ? A(i - 1) : 0)")\n'
    'or another clause: __requires("n > 0").',
    "OG399": "A rule of the kernel was rejected in a way that has no better words yet.",
    "OG400": "A launch that is not of the form kernel_launch, setup, kernel_setup_end, device code, kernel_teardown_begin,\n"
    "teardown, kernel_kill, in one block. The setup declares shared memory, the teardown frees it; other code belongs before\n"
    "or after.",
    "OG401": "A construct that CUDA code is not generated for: magic thread loops and barriers, which stand only between steps\n"
    "of a script; host functions called from a kernel; a call of a device function for a group inside an expression.",
    "OG402": "A thread loop whose iterations cannot be told from the thread's number: it counts upwards, and the product of the\n"
    "extents of nested thread loops is the number of threads that kernel_launch names.",
    "OG403": "Memory used from the wrong side: a kernel sees arrays of __gmem_malloc, host code those of the host; memcpy crosses.",
    "OG404": "An integer that may not fit 64 bits: no machine type is known to hold it.",
    "OG405": "A name that means something else in C++ or in CUDA. Choose another.",
    "OG406": "Shared arrays that need more bytes together than a block has. Two arrays take the same bytes if neither is declared\n"
    "in the scope of the other and a barrier stands between all their uses; each begins at a multiple of 16 bytes.",
    "OG500": "A construct that has no counterpart in the language that code is generated for.",
    "OG601": "A step of a script names something that is not there. The candidates are listed with their places.",
    "OG602": "A target fits several places. Say which: .first, .nth(1), .last, .all, or what is around or inside it:\n"
    '  For("bi") / Write("sum"), For("y", body=Write("out"))',
    "OG603": "A transformation does not apply to this statement: it is not a loop, or not of the form that the card asks for.\n"
    "docs/reference.md has the cards.",
    "OG604": "An argument of a transformation makes no sense: text that is not C, a size or a number that it cannot take.",
    "OG605": "What a step made is not a program: it uses a name where it is not declared, or a value of the wrong type.",
    "OG606": "A script must keep the contracts of the original, and its definitions and axioms: that is what is proved.",
}
