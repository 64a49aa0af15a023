"""What one measured run used: wall time, CPU of the tool and of the servers, memory, and how busy
the machine was with other things. Medians over runs, with the extremes beside them."""

import os
import resource
import statistics
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")


def process_cpu(pid):
    """CPU seconds of one process so far, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def machine_cpu():
    """Busy CPU seconds of the whole machine so far."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(part) for part in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


def peak_rss_mb(pid):
    """The largest resident size of a running process so far, 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


class Failed(Exception):
    """A measured program ended badly; its last words are the text."""


class Tool:
    """Programs of one peer: started, waited for, their CPU and memory added up."""

    def __init__(self, log):
        self.log = log
        self.cpu = 0.0
        self.rss_mb = 0.0

    def start(self, command, **options):
        with open(self.log, "ab") as log:
            options.setdefault("stdout", log)
            options.setdefault("stdin", subprocess.DEVNULL)
            process = subprocess.Popen([str(part) for part in command], stderr=log, **options)
        threading.Thread(target=self.watch, args=(process.pid,), daemon=True).start()
        return process

    def watch(self, pid):
        """What wait4 calls the peak begins with this interpreter's own size, so small ones are
        looked up while they run."""
        while (size := peak_rss_mb(pid)) > 0:
            self.rss_mb = max(self.rss_mb, size)
            time.sleep(0.05)

    def wait(self, process, accepted=(0,)):
        # wait4 is what gives the resources of this child alone, its own children included.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu += usage.ru_utime + usage.ru_stime
        if usage.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            self.rss_mb = max(self.rss_mb, usage.ru_maxrss / 1024)
        if process.returncode not in accepted:
            raise Failed(f"{os.path.basename(str(process.args[0]))} ended with "
                         f"{process.returncode}: {self.last_words()}")
        return process.returncode

    def run(self, command, accepted=(0,), **options):
        return self.wait(self.start(command, **options), accepted)

    def pipe(self, producer, consumer):
        first = self.start(producer, stdout=subprocess.PIPE)
        second = self.start(consumer, stdin=first.stdout)
        first.stdout.close()
        self.wait(first)
        self.wait(second)

    def last_words(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return " / ".join(
                    line for line in file.read().strip().splitlines()
                                   if 'error' in line or not line.startswith((' ', '}')))
        except OSError:
            return ""


class Meter:
    """with Meter(servers, tool) as meter: ...; then meter.sample is a dict of figures."""

    def __init__(self, servers, tool):
        self.servers = servers
        self.tool = tool
        self.sample = {}

    def __enter__(self):
        self.load = os.getloadavg()[0]
        self.before = {name: process_cpu(server.pid) for name, server in self.servers.items()}
        self.machine = machine_cpu()
        self.own = time.process_time()
        self.start = time.monotonic()
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            return
        wall = time.monotonic() - self.start
        cpu = {name: process_cpu(server.pid) - self.before[name]
               for name, server in self.servers.items()}
        own = time.process_time() - self.own
        other = machine_cpu() - self.machine - sum(cpu.values()) - self.tool.cpu - own
        self.sample = {"wall_s": wall, "tool_cpu_s": self.tool.cpu, "tool_rss_mb": self.tool.rss_mb,
                       "server_cpu_s": cpu, "other_cpu_s": other, "load_before": self.load,
                       # More than 15 % of all cores went to something else.
                       "disturbed": other > 0.15 * wall * os.cpu_count()}


def spread(samples, key):
    values = [sample[key] for sample in samples if sample.get(key) is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summarize(samples):
    """Calm runs alone where there are any."""
    calm = [sample for sample in samples if not sample["disturbed"]]
    used = calm or samples
    result = {key: spread(used, key) for key in ("wall_s", "tool_cpu_s", "tool_rss_mb",
                                                 "other_cpu_s", "load_before")}
    names = used[0]["server_cpu_s"].keys()
    result["server_cpu_s"] = {name: statistics.median(s["server_cpu_s"][name] for s in used)
                              for name in names}
    result["runs"] = len(used)
    result["left_out"] = len(samples) - len(used)
    result["all_disturbed"] = not calm
    return result
