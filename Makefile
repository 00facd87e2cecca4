# Everything a person or CI runs. Needs python3 (3.11 or newer), pip, make and git; the rest is set up in .venv.
#   make demo     set up, rule on the sample pictures, leave annotated ones in demo_output/, serve a game on the dashboard
#   make test     set up, run every check that CI runs
#   make train    train the two networks (two CPU cores, 95 minutes; goes on where it was stopped)
#   make holdout  train without one group of photos (GROUP=…) and measure on it (as long as make train)
#   make score    accuracy on the labelled photos, if they lie beside the repository (PHOTOS=…), and on what was held out
#   make judge    rulings on 400 rendered tables in looks that training never saw
#   make simulate 40 whole games at simulated tables under every preset, and what is promised of them (hours; goes on
#                 where it was stopped; GAMES=… SEED=… RESULTS=… for parts side by side)
#   make bench    time and memory: each way and stage of looking, the rule book on verified positions or on drawn ones
#   make soak     MINUTES=40 of play in one program before a camera that fails now and then: leaks, losses, dropped frames
#   make samples  draw sample_images/photos and their truth again
#   make clean    remove .venv, demo_output and the tools' caches; what was trained, simulated or measured stays

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PHOTOS ?= ../shared/photos
SCORER ?= $(PHOTOS)/../tools/score_photos.py
PIP_INSTALL := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check install --quiet

GAMES ?= 40
MINUTES ?= 40
SEED ?= 1
RESULTS ?= simulated_games.jsonl
GROUP ?= roni
WITHOUT := training_output/without_$(GROUP)

.PHONY: demo test check train holdout score judge simulate soak bench samples system fonts postgresql chromium clean
.DELETE_ON_ERROR:

demo: $(VENV)/.ready-run system
	@echo
	@status=0; $(BIN)/tileref check sample_images/photos --annotate demo_output || status=$$?; \
	if [ $$status -eq 0 ] || [ $$status -eq 1 ] || [ $$status -eq 3 ]; then \
	  echo; echo "The annotated pictures are in demo_output/ (some samples are illegal or unreadable on purpose)."; \
	else exit $$status; fi
	@echo; echo "The dashboard at a simulated table, before the same eyes; Ctrl-C ends it (make simulate plays forty whole games):"
	@if [ -t 1 ]; then $(BIN)/tileref serve --demo; else $(BIN)/tileref serve --demo --port 0 --minutes 2; fi

test: $(VENV)/.ready-dev system postgresql chromium
	@$(MAKE) --no-print-directory check

# One list of checks for developers and CI.
check:
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n auto

train: $(VENV)/.ready-train fonts
	$(BIN)/python -m vision.training all --resume

holdout: $(VENV)/.ready-train fonts
	$(BIN)/python -m vision.training all --resume --without $(GROUP) --output $(WITHOUT) --models models/held_out/$(GROUP)
	$(BIN)/python -m tests.measure.held_out --photos $(PHOTOS)

# Photos; groups of photos that a training kept out (make holdout); kinds of rendered tables in looks kept out of training.
score: $(VENV)/.ready-run system fonts
	@if [ ! -f $(SCORER) ]; then echo "No labelled photos at $(PHOTOS): set PHOTOS to their folder."; exit 1; fi
	@for split in train valid; do echo "== $$split"; \
	$(BIN)/python $(SCORER) $(PHOTOS) --split $(PHOTOS)/split.json $$split --command "$(BIN)/tileref check --json" || exit 1; done
	@$(BIN)/python -m tests.measure.held_out --photos $(PHOTOS)
	@echo "== kinds of tables"; $(BIN)/python -m tests.measure.families --hard

judge: $(VENV)/.ready-dev system fonts
	$(BIN)/python -m tests.measure.judge_tables

simulate: $(VENV)/.ready-dev system fonts
	@status=0; $(BIN)/tileref simulate --games $(GAMES) --seed $(SEED) --output $(RESULTS) || status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi
	@$(BIN)/python -m tests.measure.games $(RESULTS)

soak: $(VENV)/.ready-dev system fonts
	$(BIN)/python -m tests.measure.soak --minutes $(MINUTES)

bench: $(VENV)/.ready-bench system
	$(BIN)/python -m tests.bench

samples: $(VENV)/.ready-dev fonts
	$(BIN)/python -m vision.render.samples

system:
	@bash .ci/system-packages "the second reader for doubtful numerals stays off" --command tesseract tesseract-ocr

fonts:
	@bash .ci/system-fonts

postgresql:
	@bash .ci/system-postgresql

chromium:
	@bash .ci/system-packages "the tests of the dashboard's pages are skipped" --command chromium chromium

clean:
	rm -rf $(VENV) demo_output .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage

# A virtual environment; where the system's Python lacks ensurepip (Debian's python3-venv), pip is put in from outside.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tileref needs Python 3.11 or newer; name it with PYTHON=…"; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV) || \
	  { rm -rf $(VENV); echo "Cannot make a virtual environment: install the system package python3-venv."; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || \
	  { rm -rf $(VENV); echo "pip is missing: install the system package python3-pip."; exit 1; }

$(VENV)/.ready-run: pyproject.toml | $(BIN)/python
	@echo "Installing tileref into $(VENV) ..."
	@$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.ready-dev: pyproject.toml | $(BIN)/python
	@echo "Installing tileref with its development tools into $(VENV) ..."
	@$(PIP_INSTALL) --editable '.[dev]'
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core || true; fi
	@touch $@ $(VENV)/.ready-run

# Where others that the bench compares with cannot be installed, it says so and runs without them.  RapidOCR asks for the
# OpenCV that needs display libraries and would take the place of ours, so it comes without what it depends on.
$(VENV)/.ready-bench: pyproject.toml | $(BIN)/python
	@echo "Installing tileref with what the bench compares with into $(VENV) ..."
	@if $(PIP_INSTALL) --editable '.[bench]'; then touch $@; else $(PIP_INSTALL) --editable .; fi
	@$(PIP_INSTALL) --no-deps rapidocr-onnxruntime pyclipper pyyaml shapely six tqdm || true
	@touch $(VENV)/.ready-run

$(VENV)/.ready-train: pyproject.toml | $(BIN)/python
	@echo "Installing tileref with torch into $(VENV) ..."
	@$(PIP_INSTALL) --editable '.[train]'
	@touch $@ $(VENV)/.ready-run
