# `make demo` and `make test` do all the set-up they need.
PYTHON := .venv/bin/python
export PYTHONDONTWRITEBYTECODE :=  # tests start many processes, which would each compile our modules again

.PHONY: demo test lint types tests browser torch cuda bench fuzz evidence gpu-kernels clean

demo: .venv/.ready
	@$(PYTHON) tools/demo.py

test: lint types tests

lint: .venv/.ready
	$(PYTHON) -m ruff check src tests tools benchmarks
	$(PYTHON) -m ruff format --check --quiet src tests tools benchmarks

types: .venv/.ready
	$(PYTHON) -m mypy

tests: .venv/.ready browser torch
	$(PYTHON) -m pytest -n auto --dist worksteal

browser:
	@sh tools/setup.sh browser

torch: .venv/.ready
	@sh tools/setup.sh torch

# Every emitted CUDA text through nvcc, with warnings as errors
cuda: .venv/.ready
	$(PYTHON) tools/check_cuda.py

bench: .venv/.ready
	$(PYTHON) benchmarks/bench_frontend.py
	$(PYTHON) benchmarks/bench_check.py
	$(PYTHON) benchmarks/bench_trace.py
	$(PYTHON) benchmarks/bench_scripts.py
	$(PYTHON) benchmarks/bench_growth.py
	$(PYTHON) benchmarks/bench_matmul.py

# Random programs for the checker, random scripts, and random kernels as CUDA beside the interpreter, for as long as one likes:
# PROGRAMS=20000 STEPS=100000 KERNELS=10000 SEED=7
fuzz: .venv/.ready
	$(PYTHON) -m tests.evidence.fuzz --programs $(or $(PROGRAMS),1000) --seed $(or $(SEED),0) --jobs $(shell nproc) \
	  --out build/evidence/short-fuzz.jsonl
	$(PYTHON) -m tests.support.random_scripts --steps $(or $(STEPS),5000) --seed $(or $(SEED),0)
	$(PYTHON) -m tests.evidence.translation --programs $(or $(KERNELS),300) --seed $(or $(SEED),0) --jobs $(shell nproc)
	$(PYTHON) -m pytest -n auto -m slow

# docs/evidence.md: long runs, in as many processes as there are cores; stopped, they go on where they were
evidence: .venv/.ready
	$(PYTHON) -m tests.evidence.fuzz --programs $(or $(PROGRAMS),20000) --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.program_mutants --sample $(or $(SAMPLE),0) --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.kernel_mutants --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.certificates --changes $(or $(CHANGES),100) --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.inputs --inputs $(or $(INPUTS),20000) --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.meanings --programs $(or $(FUNCTIONS),5000) --jobs $(shell nproc)
	$(PYTHON) -m tests.evidence.page

# Random verified kernels in build/gpu-kernels, with what the interpreter makes of them. On a machine with nvcc and a GPU, which needs
# NumPy alone, `python tests/evidence/gpu_run.py --out build/evidence/gpu_run.json` runs them beside that.
gpu-kernels: .venv/.ready
	$(PYTHON) -m tests.evidence.gpu_kernels --kernels $(or $(KERNELS),2000) --jobs $(shell nproc)

.venv/.ready: pyproject.toml tools/setup.sh
	@sh tools/setup.sh

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
