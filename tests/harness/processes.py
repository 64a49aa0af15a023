"""Child processes that never outlive the tests.

Every child is started here, is remembered by its process id, and is killed by that id when this
process ends, whether by return, exception or signal. The kernel's parent-death signal covers the one
case that Python cannot see: a SIGKILL of the test process itself.
"""
import atexit
import ctypes
import os
import signal
import subprocess
import sys
import threading

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)
_children = {}
_lock = threading.Lock()


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(argv, *, env=None, stdout=None, stderr=None, stdin=subprocess.DEVNULL, cwd=None):
    """Starts a child that is killed with this process. Call it from the main thread: the kernel ties
    the death signal to the thread that forked."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("children are started from the main thread only")
    child = subprocess.Popen(
        argv,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
        preexec_fn=_die_with_parent,
    )
    with _lock:
        _children[child.pid] = child
    return child


def forget(child):
    with _lock:
        _children.pop(child.pid, None)


def kill_all():
    """Kills what is left of the children of this process, each by its own id."""
    with _lock:
        left = list(_children.values())
        _children.clear()
    for child in left:
        if child.poll() is None:
            # A stopped process takes SIGKILL as well.
            child.kill()
    for child in left:
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            print(f"process {child.pid} did not end", file=sys.stderr)


def _on_signal(number, _frame):
    kill_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def install_signal_handlers():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _on_signal)


atexit.register(kill_all)
