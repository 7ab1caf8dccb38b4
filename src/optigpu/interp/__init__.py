"""The executable semantics of the language, independent of the checker: it imports only `syntax` and `frontend`.

A run of a program either ends, or misbehaves (`misbehaviour.py`), or uses up its fuel. It misbehaves if it

- accesses an array outside its bounds, before it is written or after it is freed, or forms a pointer outside (`heap.py`);
- computes a value that does not fit the place it is stored in, divides by zero, or shifts by too much (`numeric_values.py`);
- accesses memory that the contract of the running function does not give it, or leaks memory (`heap.py`, `machine.py`);
- makes two conflicting accesses that nothing orders: a data race (`happens_before.py`);
- breaks the rules of the GPU: memory spaces, phases of a launch, barriers, groups of threads (`gpu_model.py`,
  `thread_scheduler.py`);
- breaks a contract: a precondition, postcondition, loop contract or assertion that is false (`contract_evaluation.py`).

Real numbers are exact where possible (`numeric_values.py`). Schedules of parallel loops and threads are random, but whether two
accesses race does not depend on the schedule.
"""
