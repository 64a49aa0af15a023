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
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                            capture_output=True, check=False)
    if listed.returncode == 0:
        paths = sorted(set(listed.stdout.splitlines()))
    else:  # an unpacked archive
        paths = sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*"))
    return [p for p in paths if p.split("/")[0] not in SKIPPED and not p.startswith(RAW) and (ROOT / p).is_file()]


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
