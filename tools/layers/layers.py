#!/usr/bin/python3
"""Checks what the compiler does not: the direction of includes, sizes, names, banned constructs.

With paths it checks these files only; without, every file that git knows or would add.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import rules  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = ("build", ".git", ".deps", ".cache")
RAW = "fuzz/corpus/"  # inputs as they were found


def all_files():
    try:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                                capture_output=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive, or no git here
        listed = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                  if "__pycache__" not in path.parts]
    return [path for path in sorted(set(listed))
            if path.split("/")[0] not in SKIPPED and not path.startswith(RAW)
            and (ROOT / path).is_file()]


def main():
    paths = sys.argv[1:] or all_files()
    findings = list(rules.check_rooms(ROOT))
    for path in paths:
        findings += rules.check_file(ROOT, path)
    for finding in sorted(findings):
        print(finding)
    print(f"layers: {len(paths)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
