# Everything a developer or a CI job runs. `make help` lists it; STACK=dev chooses another stack than the rehearsal.

STACK ?= rehearsal
export STACK

# Exists where the host's own Node.js is too old: toolchain/node/ensure.sh.
export PATH := $(CURDIR)/.kindows/node/bin:$(PATH)

MAKEFLAGS += --no-print-directory
.SILENT:
.DEFAULT_GOAL := help
.PHONY: help up down preview preview-diff policy status verify doctor env prepare test test-powershell record-powershell engine test-windows-binaries e2e e2e-full e2e-windows bench lint format sdk sdk-check cache clean dependencies

TSX := node --import tsx
MOCHA := node_modules/.bin/mocha

# Folders whose imports dependency-cruiser.js allows.
SOURCES := index.ts cli components config host images offline policy rehearsal stacks toolchain verify

help: ## this list
	sed -n 's/^\([a-z0-9-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 24

up: ## from a bare machine to a table of Ready nodes; run again to finish or to update
	./kindows up

down: ## remove the lab and everything it left on this host
	./kindows down

preview: ## what `up` would change
	./kindows preview

preview-diff: ## what a change does to the stacks since BASE, as Markdown: BASE=<branch, tag or commit> OUT=<file>
	./kindows preview-diff --base "$(BASE)" $(if $(OUT),--out "$(OUT)")

status: ## nodes, addresses, versions, ssh and kubectl commands
	./kindows status

policy: ## check what the stacks ask for against the rules in policy/
	./kindows policy

verify: ## try every path of the cluster's network
	./kindows verify

doctor: ## what this host has, lacks, and has left over from labs
	./kindows doctor

env: ## what a shell needs for plain `pulumi`: eval "$(make env)"
	./kindows env

prepare: ## packages, tools, images and daemons, without a lab
	./kindows prepare

engine: dependencies ## what the tests without a hypervisor run: the engine, its plugins, an API server
	$(TSX) test/prepare.ts

test: dependencies ## types, style, and the tests without a hypervisor, a sample of all faults among them; TESTS="test/unit/cni ..." for some
	$(TSX) test/main.ts $(TESTS)

test-powershell: dependencies ## each PowerShell on the PATH judges the scripts, and what is known of PowerShell; KINDS="parser pester ..." for some; SEED=... ROWS=... for other fresh rows
	$(TSX) test/powershell/main.ts $(if $(MINUTES),--minutes=$(MINUTES)) $(KINDS)

record-powershell: dependencies ## record anew what PowerShell 7 gives for the tables, snippets and steps; KINDS="tables ..." for some
	$(TSX) test/powershell/record.ts $(KINDS)

test-windows-binaries: dependencies ## real Windows programs under Wine check what the node steps write; as root
	$(TSX) test/windows-binaries/main.ts

e2e: prepare ## the rehearsal from nothing to nothing, in under half an hour; test-windows-binaries beside it
	# The labs and the tests under Wine both wait often, so together they end sooner than one after the other; the output of
	# those under Wine comes last. Not through make: `make -n` would run this line. A terminated shell leaves its commands
	# running, so setpriv terminates them with it.
	guarded="setpriv --pdeathsig TERM"; wine=$$(mktemp); $$guarded $(TSX) test/windows-binaries/main.ts >$$wine 2>&1 & \
	code=0; $$guarded $(MOCHA) 'test/e2e/**/*.test.ts' || code=1; wait $$! || code=1; cat $$wine; rm $$wine; exit $$code

e2e-full: dependencies ## the same with every kill point, every fault and four nodes; takes hours, resumes where it was stopped. PARTS="flannel ..." FRESH=1
	$(TSX) test/e2e-full/main.ts $(if $(FRESH),--fresh) $(PARTS)

e2e-windows: dependencies ## a real Windows Server 2025, from Microsoft's evaluation ISO to a node and back. Needs KVM, and KINDOWS_EVALUATION_TERMS=accepted
	$(MOCHA) --reporter ./test/hosted/reporter.ts --reporter-option output=.kindows/e2e-logs/e2e-windows/junit.xml test/hosted/dev-2025.test.ts

bench: dependencies ## how close `up` comes to its lower bound; ONLY=preview for a preview without changes
	$(TSX) test/bench/main.ts $(ONLY)

lint: dependencies ## types, style, circles and arrows between folders, shell scripts, workflows
	node_modules/.bin/tsc
	node_modules/.bin/eslint --cache --cache-strategy content --cache-location .kindows/eslint .
	node_modules/.bin/prettier --check --log-level warn --cache --cache-strategy content --cache-location .kindows/prettier .
	node_modules/.bin/depcruise --config dependency-cruiser.js --output-type err-long $(SOURCES) test
	$(TSX) toolchain/lint-workflows.ts
	git ls-files -z '*.sh' kindows .ci/run | xargs -0 shellcheck
	! gofmt -l $$(git ls-files '*.go') | grep .

format: dependencies ## apply the style that `lint` checks
	node_modules/.bin/prettier --write --log-level warn .
	gofmt -w $$(git ls-files '*.go')

sdk: dependencies ## regenerate sdks/libvirt from the pinned provider
	$(TSX) toolchain/sdk/main.ts
	./toolchain/dependencies.sh

sdk-check: dependencies ## fail if sdks/libvirt does not match the pinned provider
	$(TSX) toolchain/sdk/main.ts --check

cache: ## what was built or fetched once, for all clones
	./kindows cache ls

clean: ## remove what was made in this folder; labs, their state and the cache stay
	rm -rf node_modules sdks/libvirt/bin .kindows/node .kindows/tsc .kindows/program .kindows/pulumi/plugins .kindows/pulumi/dynamic_tf_plugins .kindows/artifacts.json

dependencies:
	./toolchain/dependencies.sh
