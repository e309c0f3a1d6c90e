# Two commands do everything: `make demo` and `make test`. The work is in scripts/.

PYTHON_HERE := .venv/bin/python

.PHONY: help setup demo test test-all docs agents lint format build screenshots notebooks lessons stories clean
.DEFAULT_GOAL := help

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

setup: ## Make .venv/, install everything, build the front end
	@sh scripts/setup.sh dev

demo: ## Open the quickstart in JupyterLab; DEMO_ARGS="--no-browser --port=9000" goes to JupyterLab
	@sh scripts/setup.sh demo
	@$(PYTHON_HERE) scripts/demo.py $(DEMO_ARGS)

test: setup ## Lint, types, Python, front-end, kernel and browser tests
	@$(PYTHON_HERE) scripts/test.py

docs: setup ## Build the site of docs/ with the reference, in site/
	@sh scripts/setup.sh docs
	@NO_MKDOCS_2_WARNING=1 $(PYTHON_HERE) -m mkdocs build --strict --quiet --clean

test-all: setup ## The same and what takes long
	@sh scripts/setup.sh docs
	@$(PYTHON_HERE) scripts/test.py --slow

agents: setup ## Test the agents that people use, with a scripted model; installs 1.3 GB; AGENTS="codex qwen" chooses
	@$(PYTHON_HERE) scripts/agents.py $(AGENTS)

lint: setup ## Only lint and types
	@$(PYTHON_HERE) scripts/test.py ruff format mypy biome tsc

format: setup ## Put the code into shape
	@$(PYTHON_HERE) -m ruff check --fix --quiet . ; $(PYTHON_HERE) -m ruff format .
	@cd js && npm run --silent format

build: setup ## Wheel and sdist, in dist/
	@$(PYTHON_HERE) -m build

screenshots: setup ## Make the pictures in docs/images from a real JupyterLab
	@$(PYTHON_HERE) scripts/screenshots.py

notebooks: setup ## Run the notebooks that are kept with their outputs, and renew these
	@$(PYTHON_HERE) -m scripts.notebooks

lessons: setup ## Record the lessons anew with the demo agent; their notes go where they belong
	@$(PYTHON_HERE) -m scripts.lessons

stories: setup ## Show every view in every state, on 127.0.0.1:8766
	@$(PYTHON_HERE) scripts/stories.py

clean: ## Remove all that was made here, .venv/ too; notebooks you saved in the demo stay
	rm -rf .venv js/node_modules acp_widget/static dist build site test-results .agents .cache/kernels *.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
