# Every target may be called on a fresh Debian 12: it installs what it needs first, asks nothing,
# and does no work twice. docs/HACKING.md says how to build and test by hand.

MAKEFLAGS += --no-print-directory
PYTHON := /usr/bin/python3
FUZZ_SECONDS ?= 60

.PHONY: all build demo test setup bench check format asan tsan fuzz clean
.DEFAULT_GOAL := build

all: build

setup:
	@scripts/setup

# A configured folder follows the CMake files by itself; only the presets are not seen by it.
build/%/build.ninja: CMakePresets.json | setup
	cmake --preset $*
	@touch $@

build: build/release/build.ninja
	cmake --build --preset release --target wherry

demo: build
	$(PYTHON) scripts/demo.py

test: build/release/build.ninja
	@cmake --build --preset release || { echo 'FAILED the build'; echo '0 passed, 1 failed'; exit 1; }
	@$(PYTHON) scripts/run-tests --preset release --integration

bench: build/release/build.ninja
	cmake --build --preset release
	$(PYTHON) bench/run.py all $(BENCH)

check: build/check/build.ninja
	@scripts/check

format:
	git ls-files -co --exclude-standard -- '*.h' '*.cc' | sort -u | xargs clang-format-14 -i

asan: build/asan/build.ninja
	cmake --build --preset asan
	@$(PYTHON) scripts/run-tests --preset asan --integration

tsan: build/tsan/build.ninja
	cmake --build --preset tsan
	@$(PYTHON) scripts/run-tests --preset tsan --integration

fuzz: build/fuzz/build.ninja
	cmake --build --preset fuzz --target fuzzers
	@scripts/fuzz $(FUZZ_SECONDS)

clean:
	rm -rf build
