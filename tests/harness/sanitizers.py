"""What a sanitizer says of the program, whatever the program's exit code is.

A build without sanitizers takes no notice of the settings. Reports go to files beside the output of
the run, so that one is found as well when the run was killed or ended as the test expected.
"""
import glob
import mmap
import os

from . import places

_SUPPRESSIONS = os.path.join(places.TESTS, "tsan.supp")
_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"second_deadlock_stack=1:history_size=4:suppressions={_SUPPRESSIONS}",
}


def settings(base):
    """The environment of a run whose output files begin with `base`."""
    return {
        name: ":".join(filter(None, (os.environ.get(name), own, f"log_path={base}.sanitizer")))
        for name, own in _OPTIONS.items()
    }


def is_built_into(program):
    """Whether a sanitizer is in it, whose own memory then is several times the program's."""
    with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return any(text.find(name) >= 0 for name in (b"__asan_init", b"__tsan_init"))


def _texts(base):
    for path in sorted(glob.glob(glob.escape(base) + ".sanitizer*")):
        with open(path, encoding="utf-8", errors="replace") as text:
            yield os.path.basename(path), text.read()


def report(base):
    """The first report of the run with this base, or None."""
    for name, text in _texts(base):
        if text.strip():
            return f"a sanitizer's report is in {name}:\n{text.strip()}"
    return None


def reports_in(folder):
    """Of all runs of a test, those included whose end the test did not look at."""
    bases = {path.partition(".sanitizer")[0] for path in glob.glob(f"{glob.escape(folder)}/*.sanitizer*")}
    return next(filter(None, map(report, sorted(bases))), None)
