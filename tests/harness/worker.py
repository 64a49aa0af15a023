"""One worker of the runner: takes orders as JSON lines on stdin, answers on the pipe it is given."""
import json
import os
import shutil
import sys
import time
import traceback

from . import discovery, framework, places, processes, sanitizers, servers


def _folder(name):
    safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    folder = os.path.join(places.LOGS, safe)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def _divert_output(folder):
    out = os.open(os.path.join(folder, "output.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(out)


def run_order(order):
    test = discovery.find(order["test"])
    folder = _folder(order["name"])
    _divert_output(folder)
    context = framework.Context(
        order["name"], order["dialect"], order["items"], order["settings"], folder
    )
    answer = {"results": context.results}
    try:
        test.function(context)
    except framework.Skip as reason:
        answer["skip"] = str(reason)
    except AssertionError as error:
        traceback.print_exc()
        answer["error"] = str(error) or traceback.format_exc()
    except Exception:
        traceback.print_exc()
        answer["error"] = traceback.format_exc(limit=-4)
    failed = "error" in answer or any(r["error"] for r in context.results.values())
    context.close(failed)
    report = None if failed else sanitizers.reports_in(folder)
    if report:
        failed = True
        answer["error"] = report
        for item in order["items"] or ():
            context.results[item] = {"error": report, "skip": None}
    if not failed:
        shutil.rmtree(folder, ignore_errors=True)
    return answer


def main():
    answers = os.fdopen(int(sys.argv[1]), "w")
    processes.install_signal_handlers()
    discovery.tests()
    for line in sys.stdin:
        answers.write(json.dumps(run_order(json.loads(line))) + "\n")
        answers.flush()
        time.sleep(0)
    servers.pool.close()


if __name__ == "__main__":
    main()
