# Everything a fresh Debian 12 machine needs is installed on the way; nothing happens twice.
#   make demo    solve the sample problem          make test    all tests
#   make build   the command at build/release/c2rl make bench   benchmarks
#   make format  clang-format                      make lint    format, include arrows, clang-tidy on everything
#   make sanitize   all tests under the sanitizers
#   make fuzz SECONDS=60   every reader of files, for so long each, on bytes that libFuzzer finds
#   make python     the Python package, in a virtual environment of its own
#   make bench-runs whole runs with learning oracles, 50 seeds of each setting
#   make docs       the guide as pages for a browser, docs/site/index.html
#   make reference  docs/reference.md, from what the kinds say of themselves
#   make web        the report page's script and style, web/dist, from web/src
#   make pictures   docs/images, from the page of a run, with Chromium
#   make reproduce           the paper's Figure 2 and Table 1, claim by claim
#   make reproduce-tabular   of it Figure 2 (a) and Table 1, with no network in it

PACKAGES := build-essential cmake ninja-build libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev \
            librandom123-dev libtomlplusplus-dev libtbb-dev libcpp-httplib-dev zlib1g-dev libgtest-dev librapidcheck-dev \
            libopenmpi-dev openmpi-bin \
            clang-format python3 python3-dev python3-venv python3-markdown-it strace
# What the Python tests run with.
PYTHON := build/python/venv
WITH_PYTHON := -D C2RL_PYTHON=ON -D Python_EXECUTABLE=$(CURDIR)/$(PYTHON)/bin/python
PYTHON_TOOLS := scikit-build-core==1.1.1 nanobind==3.1.0 numpy==2.4.6 mypy==2.4.1 pytest==9.2.0 pandas==3.1.1 scipy==1.17.1 tqdm==4.70.1 \
                matplotlib==3.11.2 torch==2.13.0 gymnasium==1.4.0 mo-gymnasium==1.3.2 stable-baselines3==2.9.2 sb3-contrib==2.9.2 \
                tensorboard==2.21.0
# Versions since 21 leave system headers alone, which takes a quarter of the time of Debian's.
CLANG_TIDY := clang-tidy==23.1.4
LINT_PACKAGES := python3-venv
FUZZ_PACKAGES := clang-14 libclang-rt-14-dev
# Of the page's bundle and its tests in a browser; what is there already need not be Debian's own.
WEB_PACKAGES := $(if $(shell command -v node),,nodejs) $(if $(shell command -v npm),,npm) $(if $(wildcard /usr/bin/chromium),,chromium)
SECONDS := 60
SOURCES := $(shell git ls-files '*.h' '*.cc' 2>/dev/null)
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# Debian's own list of what is missing of $(1); empty when all is there.
missing = $(shell dpkg-query -W -f '$${Package} $${db:Status-Status}\n' $(1) 2>/dev/null | \
            awk -v want='$(1)' '$$2 == "installed" {have[$$1]} END {n = split(want, w, " "); \
            for (i = 1; i <= n; i++) if (!(w[i] in have)) print w[i]}')
define install
	@set -e; missing="$(strip $(call missing,$(1)))"; \
	if [ -n "$$missing" ]; then \
	  echo "installing $$missing"; \
	  $(SUDO) apt-get -qq update; \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $$missing >/dev/null; \
	fi
endef

.PHONY: demo build test python python-tools sanitize fuzz reproduce reproduce-tabular bench bench-runs format lint docs reference web pictures web-modules packages lint-packages fuzz-packages clean

build: packages
	@test -f build/release/build.ninja || cmake --preset release >/dev/null
	@cmake --build --preset release --target c2rl_command

demo: build
	@build/release/c2rl solve examples/navigation.toml

test: packages web-modules python-tools
	@cmake --preset release $(WITH_PYTHON) >/dev/null && cmake --build --preset release
	@ctest --preset release -j $$(nproc)

# Only where nothing can be had from elsewhere, the tests of the page are left out, and say so.
web-modules:
	-$(call install,$(WEB_PACKAGES))
	-@cmp -s web/package-lock.json web/node_modules/installed.lock || \
	  { cd web && npm ci --ignore-scripts --no-audit --no-fund --silent && cp package-lock.json node_modules/installed.lock; }

web: web-modules
	@cd web && node_modules/.bin/tsc --noEmit && node build.mjs

pictures: build web-modules
	@node web/test/guide_pictures.mjs build/release/c2rl . build/pictures

# The module of the tests' build, with the package around it, as pip lays it out; `pip install .` builds all of it anew, for any processor.
python: packages python-tools
	@cmake --preset release $(WITH_PYTHON) >/dev/null && cmake --build --preset release --target c2rl_python_package
	@$(PYTHON)/bin/pip install -q --no-deps --no-build-isolation --force-reinstall \
	  --config-settings=wheel.cmake=false --config-settings=wheel.platlib=true \
	  --config-settings=sdist.include=build/release/python/package/** --config-settings=wheel.packages=build/release/python/package/c2rl .
	@cd / && $(CURDIR)/$(PYTHON)/bin/python -c "import c2rl"
	@echo "c2rl is installed. To enter: source $(PYTHON)/bin/activate"

# Made once, and again where the list of tools is another.
python-tools: packages
	@test -x $(PYTHON)/bin/python || python3 -m venv $(PYTHON)
	@echo "$(PYTHON_TOOLS)" | cmp -s - $(PYTHON)/tools || \
	  { $(PYTHON)/bin/pip install -q --disable-pip-version-check $(PYTHON_TOOLS) && echo "$(PYTHON_TOOLS)" > $(PYTHON)/tools; }

# The same tests with assertions and under the address and undefined-behaviour sanitizers; builds everything again. Then
# those of the parts with threads under the thread sanitizer, which goes with no other.
sanitize: packages
	@cmake --preset debug >/dev/null && cmake --build --preset debug
	@ctest --preset debug -j $$(nproc)
	@cmake --preset threads >/dev/null && cmake --build --preset threads
	@ctest --preset threads -j $$(nproc)

# What is found to reach something new stays in build/fuzz/corpus; what crashes is kept in build/fuzz/findings, and belongs
# into tests/fuzz/corpus once it is mended. Every target is run; whether all stood is in the exit status.
fuzz: packages fuzz-packages
	@cmake --preset fuzz >/dev/null && cmake --build --preset fuzz
	@mkdir -p build/fuzz/findings; status=0; for target in $$(ls tests/fuzz/corpus); do \
	  mkdir -p build/fuzz/corpus/$$target; \
	  build/fuzz/tests/fuzz/fuzz_$$target -max_total_time=$(SECONDS) -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
	    -print_final_stats=1 -artifact_prefix=build/fuzz/findings/$$target- build/fuzz/corpus/$$target \
	    tests/fuzz/corpus/$$target || status=1; done; exit $$status

reproduce-tabular: build
	@build/release/c2rl experiment experiments/figure2-tabular.toml
	@build/release/c2rl experiment experiments/table1.toml

# Every part is run to its end; whether all claims held is in the exit status.
reproduce: build
	@test -f build/navigation.data || build/release/c2rl collect examples/navigation.toml --out build/navigation.data
	@status=0; for name in figure2-tabular figure2-a2c figure2-ddqn table1; do \
	  build/release/c2rl experiment experiments/$$name.toml || status=$$?; done; exit $$status

bench: packages
	@cmake --preset release >/dev/null && cmake --build --preset release
	@build/release/bench/solvers_bench
	@build/release/bench/dp_bench
	@build/release/bench/planning_bench
	@build/release/bench/parts_bench
	@bench/ranks.py build/release/c2rl
	@build/release/bench/coverage_bench
	@build/release/bench/claims_bench 2000
	@build/release/bench/learning_bench
	@build/release/bench/learners_bench --threads $$(nproc)
	@if python3 -c "import torch" 2>/dev/null; then python3 bench/torch_learning.py build/release/bench/learning_bench; fi

# What the defaults of the learning oracles are chosen by; hours on one core.
bench-runs: packages
	@cmake --preset release >/dev/null && cmake --build --preset release --target learned_runs_bench
	@build/release/bench/learned_runs_bench --seeds 50 --threads $$(nproc)

# Debian's own Python, for which the Markdown parser is installed.
docs: packages
	@/usr/bin/python3 docs/build_site.py docs/site

reference: build
	@build/release/c2rl list --markdown > docs/reference.md

format: packages
	@clang-format -i $(SOURCES)

# Format and arrows are tests, too. What clang-tidy reads is not precompiled: each file must include what it uses.
lint: packages lint-packages
	@clang-format --dry-run --Werror $(SOURCES)
	@cmake -D SOURCE_DIR=$(CURDIR) -P tests/arrows.cmake
	@cmake --preset lint >/dev/null
	@test -x build/lint/tools/bin/clang-tidy || \
	  { python3 -m venv build/lint/tools && build/lint/tools/bin/pip install -q $(CLANG_TIDY); }
	@sed -n 's/^ *"file": "\(.*\.cc\)",*$$/\1/p' build/lint/compile_commands.json | \
	  xargs -P $$(nproc) -n 1 build/lint/tools/bin/clang-tidy --quiet -p build/lint -extra-arg=-w 2>/dev/null

packages:
	$(call install,$(PACKAGES))

lint-packages:
	$(call install,$(LINT_PACKAGES))

fuzz-packages:
	$(call install,$(FUZZ_PACKAGES))

clean:
	rm -rf build
