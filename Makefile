# make demo: verifies the program of the paper on its robot; make test: all tests; make lint: style and types;
# make docs: figures and tables; make bench: speed beside the peers.
PYTHON ?= python3
BIN = .venv/bin
STAMP = .venv/.installed

.PHONY: demo test lint format docs bench soak clean
.DEFAULT_GOAL = demo

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# exit code 1 is the verdict: the robot cannot do all of this program
demo: $(STAMP)
	$(BIN)/erfd verify examples/lola15_demo.irl --robot lola15 --wrench 100,100,-150 --out demo || test $$? -eq 1
	@echo "open demo/report.html in a browser"

# what draws in a browser needs the processor for itself
test: $(STAMP)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --ignore-glob 'tests/studio/test_in_browser*'
	$(BIN)/python -m pytest tests/studio/test_in_browser*.py

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)
	$(BIN)/python docs/make_figures.py
	$(BIN)/python docs/make_achievable.py
	$(BIN)/python docs/make_planner.py
	$(BIN)/python docs/make_parts.py
	$(BIN)/python docs/make_sim.py
	$(BIN)/python docs/make_rooms.py

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[peers]' || true
	$(BIN)/erfd bench --out benchmarks/last.json

soak: $(STAMP)
	ERFD_KILLS=200 $(BIN)/python -m pytest tests/run/test_write.py -k killed
	ERFD_CYCLES=1e9 $(BIN)/python -m pytest tests/achieve/test_random_cycles.py
	ERFD_FUZZ=1000000 $(BIN)/python -m pytest tests -k "fuzz or spoilt"
	ERFD_IK=1000000 $(BIN)/python -m pytest tests/ik
	ERFD_EXAMPLES=50 $(BIN)/python -m pytest tests/planning
	ERFD_SOAK=600 $(BIN)/python -m pytest tests/monitor/test_soak.py tests/studio/test_soak.py
	ERFD_KILLS=200 $(BIN)/python -m pytest tests/monitor/recording/test_recorder.py -k killed

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
