"""A run on a cluster has the bytes of a run on one machine, whatever is lost on the way."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import barecode

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import barecode.ray as spreading  # noqa: E402

ROOT = os.getcwd()

# Workers of Ray have the variables that were set when it started.
os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_EC2_METADATA_DISABLED="true")
RECIPE = f"""name = "spread"

[[source]]
from = "path:{ROOT}/testdata/repos/shelf"

[[source]]
from = "path:{ROOT}/crates/wheel/python"
languages = ["python"]

[settings]
names = ["standard", "neutralized"]

[dataset]
views = ["all"]

[[retriever]]
name = "bm25"
kind = "bm25"

[scores]
resamples = 200
"""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipe") / "recipe.toml"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def alone(recipe, tmp_path_factory):
    """The files of the run on one machine."""
    out = tmp_path_factory.mktemp("alone") / "run"
    barecode.build(recipe, out=out)
    return files(out)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()


def files(root):
    """Every file of a run with its bytes, but the manifest, which has times, and locks."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if name != "manifest.json" and not name.endswith((".lock", ".partial")):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found


def same(found, expected):
    assert sorted(found) == sorted(expected)
    for name, data in expected.items():
        assert found[name] == data, name


def test_a_shared_disk(recipe, alone, tmp_path):
    account = spreading.spread(recipe, tmp_path / "run")
    same(files(tmp_path / "run"), alone)
    assert account["check"]["found"] == 0 and account["check"]["shards"] >= 2
    again = spreading.spread(recipe, tmp_path / "run")
    assert all(again[stage]["found"] == again[stage]["shards"] for stage in spreading.SPREAD)
    same(files(tmp_path / "run"), alone)
    # One machine goes on where the cluster stopped: nothing is to do.
    assert not barecode.build(recipe, out=tmp_path / "run")["worked"]


def test_what_one_machine_began_a_cluster_ends(recipe, alone, tmp_path):
    barecode.command("extract", recipe, out=tmp_path / "run")
    barecode.command("check", recipe, out=tmp_path / "run", shard="1/2")
    account = spreading.spread(recipe, tmp_path / "run")
    assert account["extract"]["found"] == account["extract"]["shards"]
    assert 0 < account["check"]["found"] < account["check"]["shards"]
    same(files(tmp_path / "run"), alone)


@pytest.mark.parametrize("stage", ["extract", "check", "vary", "query"])
def test_a_worker_killed_in_a_stage(recipe, alone, tmp_path, stage):
    killed = threading.Event()
    over = threading.Event()
    out = tmp_path / "run"

    def kill():
        """Ends the first worker that has a task of the stage under way."""
        while not over.is_set():
            for line in workers():
                number, command = line.split(None, 1)
                if "Map(_do)" in command and os.path.isdir(out) and has_reached(out, stage):
                    try:
                        os.kill(int(number), signal.SIGKILL)
                    except ProcessLookupError:
                        continue
                    killed.set()
                    return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        spreading.spread(recipe, out)
    finally:
        over.set()
        thread.join()
    assert killed.is_set()
    same(files(out), alone)


def test_programs_are_several_tasks(tmp_path):
    """Their shards are known to whoever has the interpreter that runs them."""
    rows = []
    for number in range(70):
        row = {"task_id": f"T/{number}", "prompt": f"def f{number}(n):\n", "entry_point": f"f{number}"}
        body = f"    total = {number}\n    for _ in range({number % 7}):\n        total += n\n    return total\n"
        row["canonical_solution"] = body
        row["test"] = f"def check(candidate):\n    assert candidate(2) == {number + number % 7 * 2}\n"
        rows.append(json.dumps(row) + "\n")
    (tmp_path / "programs.jsonl").write_text("".join(rows))
    recipe = tmp_path / "recipe.toml"
    programs = f'[[programs]]\nfrom = "{tmp_path}/programs.jsonl"\nlicense = "MIT"\n'
    steps = 'steps = [{ transform = "ChangeNames", strategy = "funky" }]'
    recipe.write_text(f'name = "programs"\n\n{programs}\n[[pipeline]]\nname = "renamed"\nkind = "clone"\n{steps}\n')
    try:
        for stage in ("extract", "choose", "check", "vary"):
            barecode.command(stage, recipe, out=tmp_path / "alone")
    except barecode.ToolMissingError as error:
        pytest.skip(f"programs cannot run here: {error}")
    account = spreading.spread(recipe, tmp_path / "run", until="query")
    assert account["check"]["shards"] >= 3 and account["check"]["counts"]["programs"]["kept"] > 64
    found, expected = files(tmp_path / "run"), files(tmp_path / "alone")
    same({name: data for name, data in found.items() if not name.startswith("04-")}, expected)


def test_tasks_are_small_where_processors_would_wait():
    pieces = [spreading._Piece(0, 16), spreading._Piece(16, 20)]
    cases = [
        ((9, 1), 1, [2, 2, 2, 2, 1, 1]),
        ((9, 1), 2, [1] * 10),
        ((64, 0), 2, [4] * 16),
        ((0, 0), 2, []),
    ]
    for shards, processors, sizes in cases:
        for piece, number in zip(pieces, shards, strict=True):
            piece.shards["check"] = number
        tasks = list(spreading._tasks("check", pieces, processors))
        assert [len(parts[part]) for _, part, parts in tasks] == sizes
        told = [(at, place) for at, part, parts in tasks for place in parts[part]]
        assert told == [(at, place) for at in (0, 1) for place in range(shards[at])]


def test_shards_weigh_what_there_is_to_compile(alone, tmp_path):
    for name, data in alone.items():
        if name.startswith("01-functions/part"):
            (tmp_path / "part.parquet").write_bytes(data)
            texts = [row["closure"]["text"] for row in barecode.read_table(tmp_path / "part.parquet").to_pylist()]
            shards = [texts[at : at + spreading.SHARD] for at in range(0, len(texts), spreading.SHARD)]
            assert spreading._weights(str(tmp_path / "part.parquet")) == [sum(map(len, shard)) for shard in shards]
    piece = spreading._Piece(0, 1)
    piece.weights.extend([3, 9])
    assert [piece.weight("check", [0]), piece.weight("check", [0, 1]), piece.weight("extract", [0])] == [3, 12, 0]


def workers():
    """Workers of this process's Ray, by what they do; others on the machine are none of ours."""
    shown = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
    lines = [f"{line} ".split(" ", 2) for line in map(" ".join, map(str.split, shown.stdout.splitlines()))]
    parents = {int(pid): int(parent) for pid, parent, _ in lines}

    def is_ours(pid):
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return [f"{pid} {command}" for pid, _, command in lines if "ray::" in command and is_ours(int(pid))]


def has_reached(out, stage):
    before = {"extract": None, "check": "01-functions", "vary": "02-units", "query": "03-variants"}[stage]
    return before is None or os.path.isdir(os.path.join(out, before))


@pytest.fixture(scope="module")
def s3():
    """A server of the protocol on loopback."""
    server = pytest.importorskip("moto.server", reason="moto is not installed")
    held = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    held.start()
    host, port = held.get_host_and_port()
    from pyarrow import fs

    store = fs.S3FileSystem(
        endpoint_override=f"{host}:{port}", scheme="http", allow_bucket_creation=True, region="us-east-1"
    )
    store.create_dir("runs")
    yield f"s3://runs/{{}}?endpoint_override={host}:{port}&scheme=http&region=us-east-1", store, held
    held.stop()


def test_a_store_and_a_head_that_was_restarted(recipe, alone, tmp_path, s3):
    address, store, _ = s3
    uri = address.format("first")
    # The head ends behind `check`, and a new one goes on.
    account = spreading.spread(recipe, uri, until="check")
    assert account["check"]["found"] == 0
    account = spreading.spread(recipe, uri)
    assert account["check"]["found"] == account["check"]["shards"] > 0
    assert account["vary"]["found"] == 0
    got = tmp_path / "got"
    held = spreading._Store(uri)
    for file in held.all():
        held.get(file, str(got))
    same(files(got), alone)


def test_a_store_that_is_not_there(recipe, monkeypatch):
    monkeypatch.setattr(spreading, "TRIES", 2)
    monkeypatch.setattr(spreading, "PAUSE", 0.01)
    store = spreading._Store("s3://runs/x?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1")
    with pytest.raises(barecode.ToolMissingError, match="does not answer") as error:
        store.all()
    assert "run the same command again" in error.value.hint
    with pytest.raises(barecode.InputError, match="not a store"):
        spreading._Store("carrier-pigeon://loft")


def test_a_bucket_that_is_not_there(recipe, s3):
    address, _, _ = s3
    began = time.monotonic()
    with pytest.raises(barecode.InputError, match="refuses .*bucket does not exist") as error:
        spreading.spread(recipe, address.format("run").replace("s3://runs/", "s3://nowhere/"))
    assert "does the bucket exist" in error.value.hint and time.monotonic() - began < 10


def test_how_far_a_stage_is(monkeypatch):
    lines = []
    monkeypatch.setattr(spreading, "TELL_EVERY", 0.0)
    progress = spreading._Progress("check", 1_200, lines.append)
    progress.began -= 300
    progress.add(300)
    progress.add(900)
    assert lines == ["    check  300 of 1,200 shards, 15 minutes left"]


def test_another_version_on_a_machine(recipe):
    with pytest.raises(barecode.InputError, match="this machine has barecode"):
        spreading._shards({"version": "0.0.0"}, "")


def test_paths_of_this_machine_on_a_cluster_of_several(recipe, tmp_path, monkeypatch):
    nodes = [{"NodeManagerHostname": name, "Alive": True} for name in ("one", "two")]
    monkeypatch.setattr(ray, "nodes", lambda: nodes)
    with pytest.raises(barecode.InputError, match="names paths of this machine, such as `path:"):
        spreading.spread(recipe, tmp_path / "run")


def test_a_failure_on_a_worker_is_that_of_the_command(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('name = "x"\n\n[[source]]\nfrom = "path:no/such/folder"\n')
    with pytest.raises(barecode.InputError, match="no/such/folder"):
        spreading.spread(path, tmp_path / "run")


def test_two_heads_in_one_folder(recipe, tmp_path):
    with spreading._locked(str(tmp_path / "run")):
        with pytest.raises(barecode.InputError, match="another barecode is working"):
            spreading.spread(recipe, tmp_path / "run")


def test_the_command(recipe, alone, tmp_path):
    environment = {**os.environ, "RAY_ADDRESS": ""}
    shown = subprocess.run(
        [sys.executable, "-m", "barecode.ray", recipe, "--out", tmp_path / "none" / "run", "--until", "nothing"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert shown.returncode == 2 and "--until" in shown.stderr
    assert spreading.main([str(recipe), "--out", str(tmp_path / "run"), "--json"]) == 0
    same(files(tmp_path / "run"), alone)


def test_where_no_cluster_is_nobody_sees_a_traceback(recipe, tmp_path):
    command = [sys.executable, "-m", "barecode.ray", str(recipe), "--out", str(tmp_path / "run"), "--address", "ray://127.0.0.1:9"]
    environment = {**os.environ, "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "0"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert ended.returncode == 5, ended.stderr
    assert ended.stderr.startswith("connecting to ray://127.0.0.1:9") and "Traceback" not in ended.stderr, ended.stderr
    assert "no Ray cluster answers at `ray://127.0.0.1:9`" in ended.stderr
