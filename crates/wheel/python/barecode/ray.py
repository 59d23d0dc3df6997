"""A recipe on many machines: ``python -m barecode.ray recipe.toml --out s3://bucket/run --address auto``.

The stages up to the queries are map tasks of Ray Data over shards of repositories, functions and programs; what sees everything
(the dataset, the lists, the scores, the page) is done where this is called. The run folder has the same bytes as that of
``barecode build`` on one machine, so either goes on where the other stopped. A task that is lost with its machine is done
again; shards that are done are found, and not done twice.

The run folder lies on a disk that all machines share, or in any store that Arrow's file systems know (``s3://``, ``gs://``,
``hdfs://``). Needs ``pip install 'barecode[ray]'`` on every machine, in the same version.
"""

from __future__ import annotations

import argparse
import array
import collections
import contextlib
import fcntl
import itertools
import json
import os
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import barecode
from barecode import _barecode
from barecode._commands import command

#: The stages that are spread, with what is wanted of each task at most: sources of `extract`, shards of the others.
SPREAD = {"extract": 16, "choose": 1, "check": 4, "vary": 4, "query": 64}

#: Tasks for each processor that a stage is cut into at least, as far as it has shards: the last ones to end leave few idle.
TASKS = 4

#: Tasks for each processor, and in all, that are given to Ray at a time: what the head knows of tasks is that of so many.
AHEAD, LEAST_AHEAD = 64, 512

#: The stages that see everything.
TOGETHER = ("query", "assemble", "retrieve", "score", "report")

#: The lock of a run folder.
LOCK = "barecode.lock"

#: Functions of a shard of `check`.
SHARD = 256

#: How often a store is asked before it counts as gone, and the first pause, in seconds.
TRIES, PAUSE = 6, 0.5

#: What a store says where waiting does not help.
LASTING = ("NO_SUCH_BUCKET", "ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH")

#: Seconds between two lines about a stage that is under way.
TELL_EVERY = 10.0


class _Store:
    """A run folder where all machines reach it."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.is_shared_disk = "://" not in uri or uri.startswith("file://")
        if self.is_shared_disk:
            self.path = os.path.abspath(uri.removeprefix("file://"))
            return
        from pyarrow import fs

        try:
            self.files, self.path = fs.FileSystem.from_uri(uri)
        except Exception as error:
            raise _barecode.failure(
                4,
                f"`{uri}` is not a store that Arrow's file systems know: {error}",
                "s3://BUCKET/FOLDER, gs://BUCKET/FOLDER, hdfs://HOST/FOLDER, or a folder of a shared disk",
            ) from None

    def _asked(self, what: str, ask: Any) -> Any:
        """An answer of the store, asked again where it is late or gone for a while."""
        for attempt in range(TRIES):
            try:
                return ask()
            except FileNotFoundError:
                raise
            except OSError as error:
                if any(known in str(error) for known in LASTING):
                    raise _barecode.failure(
                        4,
                        f"the store `{self.uri}` refuses ({what}): {error}",
                        "does the bucket exist, and may this key write there?",
                    ) from None
                if attempt == TRIES - 1:
                    raise _barecode.failure(
                        5,
                        f"the store `{self.uri}` does not answer ({what}): {error}",
                        "what is done is saved; run the same command again when it is back",
                    ) from None
                time.sleep(PAUSE * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _at(self, file: str) -> str:
        return f"{self.path}/{file}"

    def sizes(self, files: list[str]) -> dict[str, int]:
        """The files that are there, with their sizes."""
        from pyarrow import fs

        infos = self._asked("look", lambda: self.files.get_file_info([self._at(file) for file in files]))
        there = zip(files, infos, strict=True)
        return {file: info.size for file, info in there if info.type == fs.FileType.File}

    def get(self, file: str, root: str) -> None:
        """Brings a file into a folder."""
        target = os.path.join(root, file)
        os.makedirs(os.path.dirname(target), exist_ok=True)

        def read() -> bytes:
            with self.files.open_input_stream(self._at(file)) as stream:
                content: bytes = stream.read()
                return content

        data = self._asked(f"get {file}", read)
        with open(f"{target}.partial", "wb") as out:
            out.write(data)
        os.replace(f"{target}.partial", target)

    def put(self, file: str, root: str) -> None:
        """Leaves a file in the store; who looks meanwhile sees all of it or none."""
        with open(os.path.join(root, file), "rb") as source:
            data = source.read()

        def write() -> None:
            with self.files.open_output_stream(self._at(file)) as stream:
                stream.write(data)

        self._asked(f"put {file}", write)
        kept = self.sizes([file]).get(file)
        if kept != len(data):
            raise _barecode.failure(
                5,
                f"the store `{self.uri}` keeps {kept} bytes of `{file}`, and {len(data)} were given",
                "look at the rights that the machines have there",
            )

    def all(self) -> dict[str, int]:
        """All files of the run."""
        from pyarrow import fs

        selector = fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        infos = self._asked("list", lambda: self.files.get_file_info(selector))
        start = len(self.path) + 1
        return {info.path[start:]: info.size for info in infos if info.type == fs.FileType.File}


def _do(task: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any]:
    """Does the shards of a task, on any machine; what barecode cannot do comes back as a row, for Ray makes texts of errors."""
    try:
        return {"task": task["number"], "done": json.dumps(_done(task, run)), "failure": ""}
    except barecode.Error as error:
        failure = json.dumps([error.code, error.message, error.hint])
        return {"task": task["number"], "done": "", "failure": failure}


#: What this process opened last: the recipe with the tools of this machine, by the run.
_opened: dict[str, Any] = {}


def _shards(run: Mapping[str, Any], root: str) -> Any:
    """The recipe in a folder. A worker looks for compilers and reads their headers once in a run, not in each task."""
    if run["version"] != barecode.__version__:
        raise _barecode.failure(
            4,
            f"this machine has barecode {barecode.__version__}, and the run is of {run['version']}",
            "install the same version on every machine",
        )
    if run["id"] not in _opened:
        _opened.clear()
        with contextlib.ExitStack() as stack:
            recipe = run["recipe"]
            if run["text"] is not None:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="barecode-"))
                recipe = os.path.join(folder, "recipe.toml")
                with open(recipe, "w", encoding="utf-8") as out:
                    out.write(run["text"])
            _opened[run["id"]] = _barecode.Shards(recipe, root, threads=run["threads"], cache=run["cache"])
    shards = _opened[run["id"]]
    shards.move_to(root)
    return shards


def _planned(run: Mapping[str, Any], stage: str, piece: str) -> int:
    """How many shards a stage has of a piece, as a machine with the tools for them says."""
    store = _Store(run["store"])
    root = store.path if store.is_shared_disk else tempfile.gettempdir()
    return len(json.loads(_shards(run, root).plan(stage, piece)))


def _done(task: Mapping[str, Any], run: Mapping[str, Any]) -> list[Any]:
    """The shards of a task; those that are done already are found."""
    store = _Store(run["store"])
    with contextlib.ExitStack() as stack:
        if store.is_shared_disk:
            root = store.path
        else:
            root = stack.enter_context(tempfile.TemporaryDirectory(prefix="barecode-"))
        shards = _shards(run, root)
        stage, piece = task["stage"], task["piece"]
        planned = json.loads(shards.plan(stage, piece))
        places = task["places"]
        wanted = [planned[place]["last"] for place in places]
        if not store.is_shared_disk:
            for file in store.sizes(wanted):
                store.get(file, root)
        found = json.loads(shards.found(stage, piece))
        done: dict[int, Any] = {}
        for place in places:
            known = found[place]
            if known is None:
                continue
            files = [file for file, _ in known["files"]]
            if store.is_shared_disk:
                is_whole = all(os.path.isfile(os.path.join(root, file)) for file in files)
            else:
                is_whole = len(store.sizes(files)) == len(files)
            if is_whole:
                done[place] = known
        to_do = [place for place in places if place not in done]
        if to_do and not store.is_shared_disk:
            for file in sorted({file for place in to_do for file in planned[place]["reads"]}):
                store.get(file, root)
        made = json.loads(shards.work(stage, piece, to_do)) if to_do else []
        for place, shard in zip(to_do, made, strict=True):
            if not store.is_shared_disk:
                # The last file stands last: where it is, the others are.
                for file, _ in shard["files"]:
                    store.put(file, root)
            done[place] = shard
        if stage == "extract":
            for shard in done.values():
                shard["weights"] = _weights(os.path.join(root, shard["files"][-1][0]))
        return [done[place] for place in places]


def _weights(functions: str) -> list[int]:
    """The characters that each shard of `check` will compile of a table of functions; of one of programs, nothing."""
    from pyarrow import compute, parquet

    with parquet.ParquetFile(functions) as file:
        if "closure" not in file.schema_arrow.names:
            return []
        closures: Any = file.read(columns=["closure.text"])["closure"].combine_chunks()
        texts: Any = closures.field("text")
    return [compute.sum(compute.utf8_length(texts[at : at + SHARD])).as_py() for at in range(0, len(texts), SHARD)]


class _Tickets:
    """The tickets of shards that are done, in a file: the head's memory does not grow with them."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def keep(self, tickets: list[tuple[str, str]]) -> tuple[int, int]:
        """Takes some, and says where they stand."""
        text = zlib.compress(json.dumps(tickets).encode(), 1)
        start = self.file.seek(0, os.SEEK_END)
        self.file.write(text)
        return start, len(text)

    def read(self, place: tuple[int, int]) -> list[tuple[str, str]]:
        """Those of a place."""
        self.file.seek(place[0])
        read: list[tuple[str, str]] = json.loads(zlib.decompress(self.file.read(place[1])))
        return read


class _Piece:
    """Some sources, or the programs, and where the tickets of what is done of them stand."""

    __slots__ = ("done", "first_shard", "programs", "shards", "sources", "weights")

    def __init__(self, first: int, end: int, programs: bool = False) -> None:
        self.sources = (first, end)
        self.programs = programs
        self.first_shard = 0
        self.done: dict[str, tuple[int, int]] = {}
        #: How long the shards of `check` and `vary` will take, in numbers without a unit.
        self.weights = array.array("Q")
        #: How many shards each stage has, as far as that is known.
        self.shards = {
            "extract": 1 if programs else end - first,
            "choose": 1 if programs else 0,
            "query": 0 if programs else end - first,
        }

    def text(self, stage: str, tickets: _Tickets) -> str:
        """What a task of a stage is told of the piece."""
        needs = {
            "extract": (),
            "choose": ("extract",),
            "check": ("extract", "choose"),
            "vary": ("extract", "check"),
            "query": ("extract", "check"),
        }[stage]
        done = [(name, tickets.read(self.done[name])) for name in needs]
        told = {"sources": self.sources, "first_shard": self.first_shard, "programs": self.programs, "done": done}
        return json.dumps(told)

    def weight(self, stage: str, places: list[int]) -> int:
        """How long some shards will take, as far as that is known."""
        return sum(self.weights[place] for place in places) if stage in ("check", "vary") and self.weights else 0

    def end(self, stage: str, shards: list[Any], tickets: _Tickets) -> None:
        """Takes what is done of a stage, and with it how many shards the next one has."""
        self.done[stage] = tickets.keep([(shard["last"], shard["ticket"]) for shard in shards])
        if stage == "extract" and not self.programs:
            self.weights.extend(weight for shard in shards for weight in shard["weights"])
            self.shards["check"] = len(self.weights)
        if stage == "check" and not self.programs:
            self.shards["vary"] = len(shards)


def _tasks(stage: str, pieces: list[_Piece], processors: int) -> Iterator[tuple[int, int, list[list[int]]]]:
    """Of each task the place of its piece, which part of it, and the shards of all parts.

    A task has as many shards as are wanted, and fewer where some processors would have nothing to do.
    """
    total = sum(piece.shards[stage] for piece in pieces)
    size = max(1, min(SPREAD[stage], total // (TASKS * processors)))
    for at, piece in enumerate(pieces):
        places = list(range(piece.shards[stage]))
        parts = [places[start : start + size] for start in range(0, len(places), size)]
        for part in range(len(parts)):
            yield at, part, parts


def spread(
    recipe: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    shared: bool = False,
    cache: str | os.PathLike[str] | None = None,
    threads: int = 1,
    until: str = "report",
    tell: Any = None,
) -> dict[str, Any]:
    """Runs a recipe on the machines of a Ray cluster.

    ``recipe`` is a file, ``out`` the run folder: of a disk that all machines share, or the address of a store. ``address`` is that
    of a cluster (``"auto"``, ``"ray://head:10001"``); without it Ray starts on this machine. A recipe that names paths of this machine is
    refused on a cluster of several, unless they are ``shared``. ``cache`` is the folder of compilers' verdicts on each machine. Each task uses
    ``threads`` threads, and Ray gives it as many processors. ``until`` is the last stage. Returns how many shards of each stage
    were done and found, and how many things were kept.
    """
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise _barecode.failure(5, str(error), "pip install 'barecode[ray]'") from None

    recipe = os.path.abspath(recipe)
    store = _Store(os.fspath(out))
    tell = tell or (lambda line: None)
    if not ray.is_initialized():
        if address is not None:
            tell(f"connecting to {address}")
        try:
            ray.init(address=address, logging_level="warning", log_to_driver=False)
        except Exception as error:  # Ray has an exception of its own for each way in which this fails.
            raise _barecode.failure(
                5,
                f"no Ray cluster answers at `{address or 'this machine'}`: {(str(error) or type(error).__name__).splitlines()[0]}",
                "is the head up, and is this its address? `ray status` says so; ray:// needs pip install 'barecode[ray]'",
            ) from None
    account: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        root = store.path
        if store.is_shared_disk:
            stack.enter_context(_locked(root))
        else:
            root = stack.enter_context(tempfile.TemporaryDirectory(prefix="barecode-"))
            # What every run folder has; a store that takes nothing says so here, and not behind the first stage.
            open(os.path.join(root, LOCK), "ab").close()
            store.put(LOCK, root)
        shards = _barecode.Shards(recipe, root)
        _refuse_local_paths(shards, ray, shared)
        with open(recipe, encoding="utf-8") as file:
            text = None if shared or store.is_shared_disk or shards.local_paths() else file.read()
        sources, programs = shards.extent()
        size = SPREAD["extract"]
        pieces = [_Piece(first, min(first + size, sources)) for first in range(0, sources, size)]
        if programs:
            pieces.append(_Piece(0, 0, programs=True))
        run = {
            # Of this call: what a worker found of another may have changed since.
            "id": uuid.uuid4().hex,
            "version": barecode.__version__,
            "store": store.uri if not store.is_shared_disk else store.path,
            "recipe": recipe,
            "text": text,
            "threads": threads,
            "cache": os.fspath(cache) if cache is not None else None,
        }
        tickets = _Tickets(stack.enter_context(tempfile.TemporaryFile()))
        for stage in SPREAD:
            account[stage] = _stage(ray, stage, pieces, run, tickets, tell)
            tell(_line(stage, account[stage]))
            if stage == until:
                return account
    with contextlib.ExitStack() as stack:
        if not store.is_shared_disk:
            root = stack.enter_context(tempfile.TemporaryDirectory(prefix="barecode-"))
            there = store.all()
            for path in there:
                store.get(path, root)
        for stage in TOGETHER:
            answer = command(stage, recipe, out=root)
            if isinstance(answer, dict) and "scores" in answer:
                account["scores"] = answer["scores"]
            tell(f"{stage:>9}  done")
            if stage == until:
                break
        if not store.is_shared_disk:
            for path in _files(root):
                if not path.endswith(".lock") and there.get(path) != os.path.getsize(os.path.join(root, path)):
                    store.put(path, root)
    account["run"] = store.uri
    return account


def _stage(
    ray: Any, stage: str, pieces: list[_Piece], run: Mapping[str, Any], tickets: _Tickets, tell: Any
) -> dict[str, Any]:
    """Has the shards of a stage done, and puts their tickets in order."""
    first = 0
    for piece in pieces:
        if stage in ("check", "vary") and piece.programs:
            planned = ray.remote(num_cpus=run["threads"])(_planned)
            piece.shards[stage] = ray.get(planned.remote(run, stage, piece.text(stage, tickets)))
        if stage == "check" and not piece.programs:
            piece.first_shard = first
            first += piece.shards["check"]
    processors = max(1, int(ray.cluster_resources().get("CPU", 1)) // run["threads"])
    progress = _Progress(stage, sum(piece.shards[stage] for piece in pieces), tell)
    account: dict[str, Any] = {"shards": 0, "found": 0, "counts": collections.defaultdict(collections.Counter)}
    #: What came back of pieces that are not whole yet, by the place of the piece and the part of it.
    answers: dict[int, dict[int, list[Any]]] = collections.defaultdict(dict)
    tasks = _tasks(stage, pieces, processors)
    # A window ends with its last task, so it is long, and what takes longest is begun first.
    while window := list(itertools.islice(tasks, max(LEAST_AHEAD, AHEAD * processors))):
        window.sort(key=lambda task: -pieces[task[0]].weight(stage, task[2][task[1]]))
        items = [
            {"number": number, "stage": stage, "piece": pieces[at].text(stage, tickets), "places": parts[part]}
            for number, (at, part, parts) in enumerate(window)
        ]
        data = ray.data.from_items(items, override_num_blocks=len(items))
        del items
        # Ray does a task again that was lost with its machine, as often as it takes; one that fails ends the run.
        for row in _rows(ray, data.map(_do, fn_kwargs={"run": run}, num_cpus=run["threads"])):
            if row["failure"]:
                raise _barecode.failure(*json.loads(row["failure"]))
            at, part, parts = window[row["task"]]
            progress.add(len(parts[part]))
            answers[at][part] = json.loads(row["done"])
            if len(answers[at]) == len(parts):
                of_piece = answers.pop(at)
                shards = [shard for part in range(len(parts)) for shard in of_piece[part]]
                pieces[at].end(stage, shards, tickets)
                _count(account, shards)
    for piece in pieces:
        if stage not in piece.done:
            piece.end(stage, [], tickets)
    account["counts"] = {kind: dict(counts) for kind, counts in account["counts"].items()}
    return account


class _Progress:
    """How far a stage is: a line now and then, with the time that the rest takes if it goes on as it went."""

    def __init__(self, stage: str, total: int, tell: Any) -> None:
        self.stage, self.total, self.tell = stage, total, tell
        self.done = 0
        self.began = self.told = time.monotonic()

    def add(self, shards: int) -> None:
        """Some shards more are done."""
        self.done += shards
        now = time.monotonic()
        if now - self.told >= TELL_EVERY and self.done < self.total:
            self.told = now
            left = (now - self.began) / self.done * (self.total - self.done)
            shown = f"{left / 60:.0f} minutes" if left >= 90 else f"{left:.0f} seconds"
            self.tell(f"{self.stage:>9}  {self.done:,} of {self.total:,} shards, {shown} left")


def _rows(ray: Any, data: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of tasks as they end; what the cluster itself cannot do is an error without Ray's frames."""
    try:
        yield from data.iter_rows()
    except ray.exceptions.RayError as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        hint = "what is done is saved; run the same command again when the cluster is up"
        raise _barecode.failure(5, f"the cluster failed: {lines[-1] if lines else error}", hint) from None


def _count(account: dict[str, Any], shards: list[Any]) -> None:
    for shard in shards:
        account["shards"] += 1
        account["found"] += shard["found"]
        for kind, counts in shard["counts"]:
            account["counts"][kind].update(entered=counts["entered"], kept=counts["kept"])


@contextlib.contextmanager
def _locked(root: str) -> Iterator[None]:
    """Holds the lock of a run folder on a shared disk."""
    others = os.path.isdir(root) and os.listdir(root)
    if others and LOCK not in others:
        raise _barecode.failure(4, f"`{root}` contains other files than a run's", "choose an empty or a new folder")
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, LOCK), "a+b") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _barecode.failure(
                4,
                f"another barecode is working in the run folder `{root}`",
                "wait until it is done, or name another folder",
            ) from None
        yield


def _refuse_local_paths(shards: Any, ray: Any, shared: bool) -> None:
    paths = shards.local_paths()
    machines = {node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}
    if paths and not shared and len(machines) > 1:
        raise _barecode.failure(
            4,
            f"the recipe names paths of this machine, such as `{paths[0]}`, and the cluster has {len(machines)} machines",
            "name sources by their address (git:https://…), or say --shared if all machines see these paths",
        )


def _files(root: str) -> Iterable[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def _line(stage: str, account: Mapping[str, Any]) -> str:
    counts = ", ".join(
        f"{of.get('entered', 0):,} {kind} in, {of.get('kept', 0):,} kept" for kind, of in account["counts"].items()
    )
    found = f", {account['found']:,} of them found" if account["found"] else ""
    return f"{stage:>9}  {account['shards']:,} shards{found}: {counts}"


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code, which is that of `barecode`."""
    parser = argparse.ArgumentParser(
        prog="python -m barecode.ray",
        description="Runs a recipe on the machines of a Ray cluster; the run folder has the bytes of `barecode build`.",
        epilog="Example: python -m barecode.ray recipe.toml --out s3://bucket/run --address auto",
    )
    parser.add_argument("recipe", help="the recipe, a TOML file")
    parser.add_argument(
        "--out", required=True, help="the run folder: of a disk that all machines share, or s3://…, gs://…, hdfs://…"
    )
    parser.add_argument("--address", help="the cluster: auto, ray://HEAD:10001; without it Ray starts on this machine")
    parser.add_argument("--shared", action="store_true", help="all machines see the paths that the recipe names")
    parser.add_argument("--cache", help="the folder of compilers' verdicts on each machine")
    parser.add_argument("--threads", type=int, default=1, help="threads, and processors, of each task")
    parser.add_argument("--until", choices=[*SPREAD, *TOGETHER[1:]], default="report", help="the last stage")
    parser.add_argument("--json", action="store_true", help="print the account as JSON")
    given = vars(parser.parse_args(arguments))
    as_json = given.pop("json")
    try:
        account = spread(given.pop("recipe"), given.pop("out"), tell=lambda line: print(line, file=sys.stderr), **given)
    except barecode.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("error: interrupted", "what is done is saved; run the same command again", file=sys.stderr)
        return 130
    if as_json:
        print(json.dumps(account, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
