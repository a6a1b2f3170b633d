# make demo: verifies the program of the paper on its robot; make test: all tests; make lint: style and types;
# make coverage: which lines they reach; make docs: pictures and tables; make bench: speed beside the peers.
# make site: the documentation as pages; make serve shows them; make figures: what they quote, measured anew;
# make packages: wheel and sdist, tried in empty environments.
PYTHON ?= python3
BIN = .venv/bin
# what is installed into .venv: all that the demonstration needs (it keeps its run as Parquet), and all
DEMO = .venv/.demo
STAMP = .venv/.installed
# JavaScript is linted and formatted where there is npm, by this version, which biome.json names too
BIOME = 2.6.7
BIOME_STAMP = .venv/.biome-$(BIOME)
NPM := $(shell command -v npm 2>/dev/null)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

.PHONY: demo test coverage lint format docs site serve figures pictures packages bench soak soak-list clean
.DEFAULT_GOAL = demo
.NOTPARALLEL:  # there is one .venv

$(BIN)/pip:
	$(PYTHON) -m venv .venv

$(DEMO): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) . pyarrow
	@touch $@

$(STAMP): pyproject.toml constraints.txt | $(BIN)/pip
	$(INSTALL) '.[dev]'
	@touch $(DEMO) $@

$(BIOME_STAMP): | $(BIN)/pip
	npm install --global --prefix .venv --no-audit --no-fund --loglevel=error @biomejs/biome@$(BIOME)
	@touch $@

# exit code 1 is the verdict: the robot cannot do all of this program
demo: $(DEMO)
	@echo "The listing of the paper: the tool turns evenly within each move. Algorithm 1 at work:"
	$(BIN)/erfd verify examples/lola15_demo.irl --robot lola15 --wrench 100,100,-150 --out demo || test $$? -eq 1
	@echo "The same program with smooth turning:"
	$(BIN)/erfd verify examples/lola15_demo.irl --robot lola15 --wrench 100,100,-150 --turning smooth --out demo/smooth || test $$? -eq 1
	@echo "What is to be changed of the listing so that the robot can do it:"
	$(BIN)/erfd repair examples/lola15_demo.irl --robot lola15 --wrench 100,100,-150 -o demo/lola15_repaired.irl
	@echo "open demo/report.html and demo/smooth/report.html in a browser; demo/plots has motor torques, accelerations,"
	@echo "velocities and positions, programmed and achieved (Figs. A6 and A7 of the paper)"

test: $(STAMP)
	@$(BIN)/python tools/run_tests.py

# three times the processor time of the tests alone
coverage: $(STAMP)
	$(BIN)/coverage erase
	$(BIN)/python tools/run_tests.py --cov --cov-append --cov-report= && code=0 || code=$$?; \
	$(BIN)/coverage report; echo "coverage: $$($(BIN)/coverage report --format=total) % of the lines"; exit $$code

lint: $(STAMP) $(if $(NPM),$(BIOME_STAMP))
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pylint src/erfd
	$(if $(NPM),$(BIN)/biome check --error-on-warnings,@echo "JavaScript was not linted: npm is missing")

format: $(STAMP) $(if $(NPM),$(BIOME_STAMP))
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(if $(NPM),$(BIN)/biome check --write,@echo "JavaScript was not formatted: npm is missing")

docs: $(STAMP)
	$(BIN)/python docs/make_figures.py
	$(BIN)/python docs/make_achievable.py
	$(BIN)/python docs/make_timing.py
	$(BIN)/python docs/make_planner.py
	$(BIN)/python docs/make_parts.py
	$(BIN)/python docs/make_sim.py
	$(BIN)/python docs/make_rooms.py

# the documentation as pages, in docs/_build/html: offline, warnings are errors, tutorials are run
site: $(STAMP)
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "open docs/_build/html/index.html in a browser, or: make serve"

serve: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory docs/_build/html 8000

# the figures that README and pages quote; on a machine that does nothing else: make figures KEEP=--keep
figures: $(STAMP)
	$(BIN)/python tools/figures.py $(KEEP)

# the pictures beside those that the code of today draws
pictures: $(STAMP)
	$(BIN)/python tools/pictures.py

# wheel and sdist, checked and tried offline in empty environments; PYTHONS="python3.12 ..." names more
packages: $(STAMP)
	$(BIN)/python tools/try_packages.py $(PYTHONS)

bench: $(STAMP)
	$(INSTALL) '.[peers]' || true
	$(BIN)/erfd bench --out benchmarks/last.json

# long trials, part by part, at most an hour each, resumable: what was tried adds up in soak/ (docs/reliability.md);
# make soak-list: the parts and how far each is; make soak-cycles: one of them
soak: $(STAMP)
	$(BIN)/python tools/soak.py --list
	$(BIN)/python tools/soak.py

soak-list: $(STAMP)
	$(BIN)/python tools/soak.py --list

soak-%: $(STAMP)
	$(BIN)/python tools/soak.py $*

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
