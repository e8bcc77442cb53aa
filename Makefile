# mcp-sidecar: `make help` lists what can be asked for.
#
# Everything a target needs beyond Go, Node (with npm), Python (with venv), bash,
# make and, for the race detector of the tests, a C compiler is installed by that
# target: Go tools into build/tools, npm packages beside their lockfile, Python
# packages into build/python, Neovims into build/neovim, VS Code into build/vscode.
# On Debian this is true of patchelf, luacheck, tmux and chromium as well; see
# .ci/neovim and .ci/vscode for other systems.

# Versions of the tools; the only place that names them.
GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION       := v0.12.0

# How long each fuzz target runs in `make fuzz`: a number of executions, since
# the end of a time is sometimes reported as a failure of what it interrupts.
FUZZTIME ?= 1500x

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

GO      ?= go
BIN     := bin/mcp-sidecar
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
GOFILES  = $(shell find . -name '*.go' -not -path './build/*' -not -path '*/node_modules/*')

GOFUMPT       := build/tools/gofumpt-$(GOFUMPT_VERSION)
GOLANGCI_LINT := build/tools/golangci-lint-$(GOLANGCI_LINT_VERSION)

# npm writes this file last, so it says that an installation is whole.
INSTALLED    := node_modules/.package-lock.json
REAL_SERVERS := conformance/real/$(INSTALLED)
REAL_CLIENTS := conformance/real/clients/$(INSTALLED)
DEMO_SERVERS := examples/project/$(INSTALLED)
NODE_TOOLS   := agent/node/$(INSTALLED)
LUA_TOOLS    := editor/neovim/tests/$(INSTALLED)
VSCODE_TOOLS := editor/vscode/$(INSTALLED) editor/vscode/tests/$(INSTALLED)

PYTHON       ?= python3
VENV         := build/python
PYTHON_TOOLS := $(VENV)/installed

BIOME := node_modules/.bin/biome
# The example has no packages of its own.
EXAMPLE_BIOME := ../../agent/node/$(BIOME)
RUFF  := $(VENV)/bin/ruff
MYPY  := $(CURDIR)/$(VENV)/bin/mypy

NEOVIM         := build/neovim
NEOVIM_PRESENT := $(NEOVIM)/installed
VSCODE         := build/vscode
VSCODE_PRESENT := $(VSCODE)/installed
STYLUA         := tests/node_modules/.bin/stylua

# What ruff looks at; the configuration is the nearest above each file.
PYTHON_SOURCES := agent/python agent/packaging examples/agent-python

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## build bin/mcp-sidecar
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/mcp-sidecar

.PHONY: run
run: build $(DEMO_SERVERS) ## see it work: real servers in examples/project, cold and then warm
	$(GO) run ./examples/host -sidecar $(BIN) -project examples/project

.PHONY: example-node
example-node: build $(DEMO_SERVERS) $(NODE_TOOLS) ## an agent in TypeScript: tools that arrive in mid-conversation
	cd agent/node && npm run --silent build
	cd examples/agent-node && npm install --silent && npm start --silent

.PHONY: example-python
example-python: build $(DEMO_SERVERS) ## the same in Python
	PYTHONPATH=agent/python $(PYTHON) examples/agent-python/main.py

.PHONY: delegate-node
delegate-node: build $(DEMO_SERVERS) $(NODE_TOOLS) ## an agent in TypeScript with two sub-agents in its session
	cd agent/node && npm run --silent build
	cd examples/agent-node && npm install --silent && npm run --silent delegate

.PHONY: delegate-python
delegate-python: build $(DEMO_SERVERS) ## the same in Python
	PYTHONPATH=agent/python $(PYTHON) examples/agent-python/delegate.py

.PHONY: try-neovim
try-neovim: build $(DEMO_SERVERS) $(NEOVIM_PRESENT) ## Neovim with the plugin in examples/project
	@nvim='$(CURDIR)/$(NEOVIM)/0.12/bin/nvim'; [ -x "$$nvim" ] || nvim=nvim; \
	cd examples/project && "$$nvim" --clean --cmd 'set runtimepath^=$(CURDIR)/editor/neovim' \
		--cmd 'let g:mcp_sidecar = #{ binary: "$(CURDIR)/$(BIN)" }' \
		--cmd 'helptags $(CURDIR)/editor/neovim/doc'

.PHONY: packages
packages: $(NODE_TOOLS) $(PYTHON_TOOLS) ## npm packages and Python wheels, in build/packages
	$(VENV)/bin/python agent/packaging/make_packages.py --go $(GO) $(PLATFORMS)

.PHONY: vsix
vsix: $(VSCODE_TOOLS) ## the VS Code extension's packages, in build/vsix
	$(PYTHON) agent/packaging/make_vsix.py --go $(GO) $(PLATFORMS)

# With the name that a VS Code on this machine would install: the tests do.
.PHONY: vsix-here
vsix-here: $(VSCODE_TOOLS) ## the one for this machine
	$(PYTHON) agent/packaging/make_vsix.py --go $(GO) --here

.PHONY: generate
generate: ## write again what is generated from rpc/protocol.go and rpc/errors.go
	$(GO) generate ./...

.PHONY: fmt
fmt: $(GOFUMPT) $(NODE_TOOLS) $(PYTHON_TOOLS) $(LUA_TOOLS) $(VSCODE_TOOLS) ## format the sources
	$(GO) fix ./...
	$(GOFUMPT) -l -w $(GOFILES)
	cd agent/node && $(BIOME) format --write .
	cd examples/agent-node && $(EXAMPLE_BIOME) format --config-path=../../agent/node --write .
	$(RUFF) format $(PYTHON_SOURCES)
	cd editor/neovim && $(STYLUA) .
	cd editor/vscode && $(BIOME) format --write .

# The order is that of the time to the first useful message. Those of the first
# list use all processors; the others mostly wait, and run side by side, the
# longest first.
PARTS := generated format lint cross unit fuzz
BESIDE := transcripts editor-vscode agent-python agent-node real agent-packages editor-neovim

.PHONY: test
test: ## everything, installing what it needs
	@MAKE='$(MAKE)' .ci/parts --meanwhile prepare $(PARTS) -- $(BESIDE)

# What parts of the second list need, and only they: two that make it at once
# would be in each other's way.
.PHONY: prepare
prepare: build $(DEMO_SERVERS) $(REAL_SERVERS) $(REAL_CLIENTS) $(NEOVIM_PRESENT) $(VSCODE_PRESENT)

.PHONY: generated
generated: ## are the generated files those the sources give?
	$(GO) test -count=1 ./rpc/internal/gen/...

.PHONY: format
format: $(GOFUMPT) $(NODE_TOOLS) $(PYTHON_TOOLS) $(LUA_TOOLS) $(VSCODE_TOOLS) ## are the sources formatted, and the Go ones modern?
	@files="$$($(GOFUMPT) -l $(GOFILES))"; \
	if [ -n "$$files" ]; then printf 'not formatted (make fmt):\n%s\n' "$$files"; exit 1; fi
	$(GO) fix -diff ./...
	cd agent/node && $(BIOME) format .
	cd examples/agent-node && $(EXAMPLE_BIOME) format --config-path=../../agent/node .
	$(RUFF) format --check $(PYTHON_SOURCES)
	cd editor/neovim && $(STYLUA) --check .
	cd editor/vscode && $(BIOME) format .

.PHONY: lint
lint: $(GOLANGCI_LINT) $(NODE_TOOLS) $(PYTHON_TOOLS) $(VSCODE_TOOLS) ## linters and type checkers of all languages
	$(GO) vet ./...
	$(GOLANGCI_LINT) run ./...
	cd agent/node && $(BIOME) lint . && npm run --silent types
	cd examples/agent-node && $(EXAMPLE_BIOME) lint --config-path=../../agent/node .
	$(RUFF) check $(PYTHON_SOURCES)
	cd agent/python && $(MYPY) . && MYPYPATH=.:../../examples/agent-python $(MYPY) ../../examples/agent-python
	cd agent/packaging && MYPYPATH=.:test:../python $(MYPY) --strict .
	cd editor/vscode && $(BIOME) lint . && npm run --silent types
	.ci/debian tools luacheck=lua-check
	cd editor/neovim && luacheck --quiet --no-color .

.PHONY: cross
cross: ## does it vet and build for macOS and Windows?
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/mcp-sidecar
	GOOS=windows GOARCH=amd64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/mcp-sidecar

.PHONY: unit
unit: ## the Go tests of everything but conformance/, with the race detector
	$(GO) test -race $$($(GO) list ./... | grep -v /conformance)

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME
	.ci/fuzz $(FUZZTIME)

.PHONY: transcripts
transcripts: ## the contract, against the built binary
	$(GO) test -race -count=1 $$($(GO) list ./conformance/... | grep -v /conformance/real)

.PHONY: agent-node
agent-node: build $(DEMO_SERVERS) $(NODE_TOOLS) ## the Node client, its adapters and its example
	cd agent/node && npm test --silent && npm run --silent build
	cd examples/agent-node && npm install --silent && npm test --silent

.PHONY: agent-python
agent-python: build $(DEMO_SERVERS) $(PYTHON_TOOLS) ## the Python client, its adapters and its example
	cd agent/python && $(CURDIR)/$(VENV)/bin/python -X dev -W error -m unittest
	PYTHONPATH=agent/python $(VENV)/bin/python -m unittest discover -s examples/agent-python

.PHONY: agent-packages
agent-packages: $(NODE_TOOLS) $(VSCODE_TOOLS) $(PYTHON_TOOLS) ## all packages: what is in them; the clients' installed offline
	PYTHONPATH=agent/packaging $(VENV)/bin/python -m unittest discover -s agent/packaging/test

.PHONY: editor-neovim
editor-neovim: build $(NEOVIM_PRESENT) $(DEMO_SERVERS) ## the Neovim plugin, in the oldest and the newest Neovim that it supports
	MCP_SIDECAR_TEST_BINARY='$(CURDIR)/$(BIN)' editor/neovim/tests/run

.PHONY: editor-vscode
editor-vscode: $(VSCODE_PRESENT) $(VSCODE_TOOLS) ## the VS Code extension, in the real editor
	node editor/vscode/tests/run.mjs

# The pictures of the extension's README, as a test takes them.
SCREENSHOTS := editor/vscode/media/screenshots

.PHONY: vscode-screenshots
vscode-screenshots: build $(VSCODE_PRESENT) $(VSCODE_TOOLS) ## take the pictures in the README of the VS Code extension
	MCP_SIDECAR_TEST_BINARY='$(CURDIR)/$(BIN)' node editor/vscode/tests/run.mjs ui/readme
	@mkdir -p $(SCREENSHOTS)
	for name in view actions trust; do \
		cp build/vscode/screenshots/readme-$$name-dark.png $(SCREENSHOTS)/$$name.png; \
	done
	@large="$$(find $(SCREENSHOTS) -size +200k)"; \
	if [ -n "$$large" ]; then printf 'too large for a README:\n%s\n' "$$large"; exit 1; fi

.PHONY: real
real: $(REAL_SERVERS) $(REAL_CLIENTS) ## MCP servers and clients from npm and of the Go SDK
	MCP_SIDECAR_REAL=required $(GO) test -race -count=1 ./conformance/real/...

.PHONY: bench
bench: $(NEOVIM_PRESENT) ## the Go benchmarks, and those of the Neovim plugin
	$(GO) test -run '^$$' -bench . -benchmem ./...
	@nvim='$(CURDIR)/$(NEOVIM)/0.12/bin/nvim'; [ -x "$$nvim" ] || nvim=nvim; \
	cd editor/neovim && "$$nvim" --headless -u NONE -i NONE --cmd 'set runtimepath^=.' -l tests/bench.lua

.PHONY: clean
clean: ## remove what was built and installed
	rm -rf bin build agent/node/dist editor/vscode/dist
	rm -rf agent/node/node_modules conformance/real/node_modules conformance/real/clients/node_modules examples/project/node_modules examples/agent-node/node_modules editor/neovim/tests/node_modules editor/vscode/node_modules editor/vscode/tests/node_modules

$(GOFUMPT):
	GOBIN='$(CURDIR)/build/tools' $(GO) install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)
	@mv build/tools/gofumpt $@

$(GOLANGCI_LINT):
	GOBIN='$(CURDIR)/build/tools' $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@mv build/tools/golangci-lint $@

$(PYTHON_TOOLS): agent/python/requirements-dev.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The script says itself when it is done. Elsewhere than on Debian it never is.
$(NEOVIM_PRESENT): .ci/neovim
	.ci/neovim $(NEOVIM)

# Likewise.
$(VSCODE_PRESENT): .ci/vscode editor/vscode/tests/editor/package-lock.json
	.ci/vscode $(VSCODE)

# No package's script is run: none is needed, and Playwright's would fetch a
# browser.
%/$(INSTALLED): %/package-lock.json %/package.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
