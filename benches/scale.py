"""What a run over many repositories takes on a cluster: a model, and a discrete simulation of it.

usage: scale.py [--repositories N] [--machines N] [--cores N] [--lost-an-hour F] [--dollars F] [--seed N]
                [--costs SECONDS,SECONDS,SECONDS,SECONDS]

The model multiplies: functions by seconds a stage, over all cores. The simulation has what that leaves out: repositories
of very different sizes (log-normal, as those of the sample in docs/src/explanation/scale.md), tasks that wait for cores, the barrier between
`extract` and `check`, machines that vanish with the tasks that they had under way, and new ones that take minutes to come.
Costs are seconds a function on one core, for `extract`, `check`, `vary` and `query`; those given are what docs/src/explanation/scale.md measured.
"""

import argparse
import heapq
import random

STAGES = ("extract", "check", "vary", "query")

#: Sources of a task of `extract` and `query`; functions of a task of `check` and `vary`.
SOURCES, FUNCTIONS = 16, 256

#: Seconds to start a task, and until a lost machine is replaced.
TASK, REPLACED = 0.05, 180.0

#: Functions of a repository: median, and deviation of the logarithm.
MEDIAN, SPREAD = 120, 1.6


def repositories(number, draw):
    """Functions of each."""
    return [min(200_000, int(draw.lognormvariate(0, SPREAD) * MEDIAN) + 1) for _ in range(number)]


def tasks(stage, sizes, cost):
    """Seconds of each task of a stage."""
    if stage in ("extract", "query"):
        for start in range(0, len(sizes), SOURCES):
            yield TASK + cost * sum(sizes[start : start + SOURCES])
        return
    for size in sizes:
        for start in range(0, size, FUNCTIONS):
            yield TASK + cost * min(FUNCTIONS, size - start)


def simulated(sizes, costs, machines, cores, lost, draw):
    """Hours until all is done, by stage, and how many tasks were done twice."""
    # A core is free at a time, until its machine is lost.
    life = (lambda: draw.expovariate(lost / 3600)) if lost else (lambda: float("inf"))
    ends = [life() for _ in range(machines)]
    free = [(0.0, machine, core) for machine in range(machines) for core in range(cores)]
    heapq.heapify(free)
    hours, again, now = {}, 0, 0.0
    for stage, cost in zip(STAGES, costs, strict=True):
        start, last = now, now
        waiting = sorted(tasks(stage, sizes, cost))
        while waiting:
            seconds = waiting.pop()
            at, machine, core = heapq.heappop(free)
            at = max(at, start)
            while ends[machine] < at:
                ends[machine] = max(at, ends[machine] + REPLACED) + life()
            done = at + seconds
            if done > ends[machine]:
                again += 1
                back = ends[machine] + REPLACED
                heapq.heappush(free, (back, machine, core))
                waiting.append(seconds)
                continue
            heapq.heappush(free, (done, machine, core))
            last = max(last, done)
        hours[stage] = (last - start) / 3600
        now = last
    return hours, again


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repositories", type=int, default=1_000_000)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--lost-an-hour", type=float, default=0.05)
    parser.add_argument("--dollars", type=float, default=0.20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--costs", default="0.004,0.03,0.09,0.0005")
    given = parser.parse_args()
    costs = [float(cost) for cost in given.costs.split(",")]
    draw = random.Random(given.seed)
    sizes = repositories(given.repositories, draw)
    functions = sum(sizes)
    cores = given.machines * given.cores
    model = {stage: functions * cost / cores / 3600 for stage, cost in zip(STAGES, costs, strict=True)}
    hours, again = simulated(sizes, costs, given.machines, given.cores, given.lost_an_hour, draw)
    print(f"{given.repositories:,} repositories, {functions:,} functions, {given.machines} machines of {given.cores} cores")
    print(f"{'stage':8} {'model, h':>9} {'simulated, h':>13}")
    for stage in STAGES:
        print(f"{stage:8} {model[stage]:9.2f} {hours[stage]:13.2f}")
    total, simulated_total = sum(model.values()), sum(hours.values())
    print(f"{'all':8} {total:9.2f} {simulated_total:13.2f}   {again:,} tasks were lost and done again")
    print(f"dollars  {total * given.machines * given.dollars:9.0f} {simulated_total * given.machines * given.dollars:13.0f}")


main()
