"""Runs of this machine, small and large: cost and memory for each function, what a second worker of Ray brings, and the memory of
many repositories.

usage: cluster.py workers RECIPE [--rounds N] [--cpus N,N] [--command]
       cluster.py repositories N [N ...] [--functions N] [--until STAGE]
       cluster.py functions SOURCE LANGUAGE N [N ...] [--threads N]

`workers` extracts the recipe's sources once and then has `check` done with one worker and with two, in turn, each with an empty cache
of verdicts; with `--command` the command with one and with two threads stands beside it, which is what the machine gives without Ray.
`repositories` makes so many repositories of a few functions each and has them done up to their queries, each number in
a process of its own; memory is what a process has for itself (`RssAnon`), in MB: of the head, of its largest worker, and of Ray's own
processes together.
`functions` draws so many functions of a source (`path:…`) and has the command do its first four stages, one by one and without caches;
memory is the largest of the command or of a compiler that it started, in MB; processor time is that of both, so other work on the
machine hardly changes it.
Run it with an interpreter that has barecode, Ray and pyarrow.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

FUNCTION = """
/* Adds the step {place} of repository {number} to a total, and counts how often that was done. */
int step_{number}_{place}(struct total_{number} *total, int value)
{{
    for (int at = 0; at < value; at++) {{
        total->sum += at * {factor} + {place};
    }}
    total->times++;
    return total->sum % {modulus};
}}
"""


def made(folder, repositories, functions):
    """The recipe of so many repositories."""
    sources = []
    for number in range(repositories):
        repository = os.path.join(folder, f"r{number // 1000:03}", f"{number:06}")
        os.makedirs(repository)
        text = f"struct total_{number} {{ int sum; int times; }};\n"
        for place in range(functions):
            text += FUNCTION.format(number=number, place=place, factor=number % 97 + 2, modulus=number % 89 + 3)
        with open(os.path.join(repository, "steps.c"), "w") as out:
            out.write(text)
        sources.append(f'[[source]]\nfrom = "path:{repository}"\nlicense = "MIT"\n')
    recipe = os.path.join(folder, "recipe.toml")
    with open(recipe, "w") as out:
        out.write('name = "many"\n' + "".join(sources) + '[settings]\nnames = ["standard", "neutralized"]\n')
    return recipe


def status():
    """Parent, name and own memory in MB of every process."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/status") as file:
                fields = dict(line.split(":", 1) for line in file)
            with open(f"/proc/{pid}/cmdline") as file:
                name = file.read().split("\0")[0]
        except (OSError, ValueError):
            continue
        found[int(pid)] = int(fields["PPid"]), name, int(fields.get("RssAnon", "0 kB").split()[0]) / 1024
    return found


def memory():
    """Of this process, of its largest worker, and of Ray's own processes."""
    found = status()
    below, worker, others = {os.getpid()}, 0.0, 0.0
    grown = True
    while grown:
        inner = {pid for pid, (parent, _, _) in found.items() if parent in below} - below
        below |= inner
        grown = bool(inner)
    for pid in below - {os.getpid()}:
        _, name, own = found[pid]
        if name.startswith("ray::"):
            worker = max(worker, own)
        else:
            others += own
    return found[os.getpid()][2], worker, others


class Watched:
    """The largest memory until it is asked."""

    def __init__(self):
        self.most, self.over = (0.0, 0.0, 0.0), threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.over.wait(0.5):
            self.most = tuple(map(max, self.most, memory()))

    def taken(self):
        most, self.most = tuple(map(max, self.most, memory())), (0.0, 0.0, 0.0)
        return most


def spread(recipe, out, cpus, until, cache):
    """A line for each stage that was done: its name, seconds, shards, and memory."""
    import ray

    import barecode.ray

    ray.init(num_cpus=cpus, include_dashboard=False, logging_level="error", log_to_driver=False)
    watched, stages = Watched(), []
    last = time.perf_counter()

    def tell(line):
        nonlocal last
        now = time.perf_counter()
        stages.append({"stage": line.split()[0], "seconds": now - last, "memory": watched.taken(), "line": line})
        print(line, file=sys.stderr)
        last = now

    barecode.ray.spread(recipe, out, cache=cache, until=until, tell=tell)
    print(json.dumps(stages))


def apart(*arguments):
    """The same in a process of its own."""
    shown = subprocess.run([sys.executable, __file__, "spread", *map(str, arguments)], stdout=subprocess.PIPE, check=True)
    return json.loads(shown.stdout.splitlines()[-1])


def workers(recipe, rounds, cpus, beside):
    with tempfile.TemporaryDirectory(prefix="barecode-bench-") as root:
        extracted = os.path.join(root, "extracted")
        apart(recipe, extracted, 2, "extract", os.path.join(root, "cache"))
        for turn in range(rounds):
            seconds = {}
            for number in cpus:
                out, cache = (os.path.join(root, f"{what}-{turn}-{number}") for what in ("run", "cache"))
                shutil.copytree(extracted, out)
                stage = next(one for one in apart(recipe, out, number, "check", cache) if one["stage"] == "check")
                seconds["ray", number] = stage["seconds"]
                print(f"{stage['seconds']:8.1f} s  Ray, {number} workers: {stage['line'].strip()}", flush=True)
                shutil.rmtree(cache)
                shutil.rmtree(out)
                if not beside:
                    continue
                shutil.copytree(extracted, out)
                start = time.perf_counter()
                command = [sys.executable, "-m", "barecode", "check", recipe, "--out", out, "--cache", cache]
                subprocess.run([*command, "--threads", str(number), "--quiet"], check=True)
                seconds["command", number] = time.perf_counter() - start
                print(f"{seconds['command', number]:8.1f} s  the command, {number} threads", flush=True)
            for what in dict.fromkeys(what for what, _ in seconds):
                ratio = seconds[what, cpus[0]] / seconds[what, cpus[-1]]
                print(f"{ratio:8.2f} times as fast: {what}, round {turn + 1}", flush=True)


def repositories(numbers, functions, until):
    print(f"{'':>12}{'':>9}{'':>9}{'s a repo-':>12}{'head':>8}{'worker':>8}{'Ray':>8}")
    print(f"{'repositories':>12}{'stage':>9}{'s':>9}{'sitory':>12}{'MB':>8}{'MB':>8}{'MB':>8}")
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="barecode-bench-") as root:
            recipe = made(os.path.join(root, "code"), number, functions)
            for one in apart(recipe, os.path.join(root, "run"), os.cpu_count(), until, os.path.join(root, "cache")):
                head, worker, others = one["memory"]
                each = one["seconds"] / number
                print(
                    f"{number:12,}{one['stage']:>9}{one['seconds']:9.1f}{each:12.4f}{head:8.0f}{worker:8.0f}{others:8.0f}",
                    flush=True,
                )


def functions(source, language, numbers, threads):
    heads = ("functions", "stage", "s", "CPU s", "things", "CPU ms each", "MB")
    print("{:>10}{:>9}{:>9}{:>9}{:>12}{:>13}{:>8}".format(*heads))
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="barecode-bench-") as root:
            recipe, out = os.path.join(root, "recipe.toml"), os.path.join(root, "run")
            with open(recipe, "w") as file:
                what = f'[[source]]\nfrom = "{source}"\nlanguages = ["{language}"]\nlimit = {number}\nlicense = "MIT"\n'
                file.write(f'name = "functions"\n{what}[settings]\nnames = ["standard", "neutralized"]\n')
            for stage in ("extract", "check", "vary", "query"):
                command = [sys.executable, "-m", "barecode", stage, recipe, "--out", out, "--no-cache", "--quiet"]
                start = time.perf_counter()
                child = subprocess.Popen([*command, "--threads", str(threads)])
                _, code, usage = os.wait4(child.pid, 0)
                seconds = time.perf_counter() - start
                if code:
                    raise SystemExit(f"{stage} ended with {os.waitstatus_to_exitcode(code)}")
                with open(os.path.join(out, "manifest.json")) as file:
                    counts = json.load(file)["stages"][stage]["counts"]
                kind = {"extract": "functions", "check": "functions", "vary": "variants", "query": "units"}[stage]
                done = counts[kind]["kept" if stage == "extract" else "entered"]
                processor = usage.ru_utime + usage.ru_stime
                each = 1000 * processor / max(1, done)
                print(
                    f"{number:10,}{stage:>9}{seconds:9.1f}{processor:9.1f}{done:12,}{each:13.2f}{usage.ru_maxrss / 1024:8.0f}",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    mode = modes.add_parser("workers")
    mode.add_argument("recipe", type=os.path.abspath)
    mode.add_argument("--rounds", type=int, default=2)
    mode.add_argument("--cpus", default="1,2")
    mode.add_argument("--command", action="store_true")
    mode = modes.add_parser("repositories")
    mode.add_argument("numbers", type=int, nargs="+")
    mode.add_argument("--functions", type=int, default=3)
    mode.add_argument("--until", default="query")
    mode = modes.add_parser("functions")
    mode.add_argument("source")
    mode.add_argument("language")
    mode.add_argument("numbers", type=int, nargs="+")
    mode.add_argument("--threads", type=int, default=1)
    mode = modes.add_parser("spread")
    for name in ("recipe", "out", "cpus", "until", "cache"):
        mode.add_argument(name)
    given = parser.parse_args()
    if given.mode == "workers":
        workers(given.recipe, given.rounds, [int(number) for number in given.cpus.split(",")], given.command)
    elif given.mode == "functions":
        functions(given.source, given.language, given.numbers, given.threads)
    elif given.mode == "repositories":
        repositories(given.numbers, given.functions, given.until)
    else:
        spread(given.recipe, given.out, int(given.cpus), given.until, given.cache)


if __name__ == "__main__":
    main()
