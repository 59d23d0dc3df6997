"""The notebook `docs/story.ipynb`: it runs from top to bottom, and says what it says in the repository.

`BARECODE_UPDATE=1` writes its outputs instead.
"""

import copy
import os
import pathlib
import tempfile

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("nbclient", reason="nbclient is not installed")

from nbclient import NotebookClient  # noqa: E402
from traitlets.config import Config  # noqa: E402

STORY = pathlib.Path("docs/story.ipynb")


def said(output):
    """What an output says, without the style of its table."""
    if output["output_type"] == "stream":
        return output["name"], output["text"]
    return "result", output["data"]["text/plain"]


def executed(story, folder):
    """The same notebook with new outputs; nothing comes from a cache, and nothing stays in one."""
    done = copy.deepcopy(story)
    # A kernel on sockets of the file system opens no port; their paths must be short, and pytest's are not.
    kernel = {"transport": "ipc", "connection_file": f"{folder}/kernel.json"}
    client = NotebookClient(done, timeout=300, coalesce_streams=True, config=Config(KernelManager=kernel))
    client.execute(cwd=".", env={**os.environ, "XDG_CACHE_HOME": folder, "IPYTHONDIR": f"{folder}/ipython"})
    return done


def test_the_story_is_true():
    story = nbformat.read(STORY, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        done = executed(story, folder)
    for cell, new in zip(story.cells, done.cells, strict=True):
        if cell.cell_type == "code" and os.environ.get("BARECODE_UPDATE"):
            cell.outputs, cell.execution_count = new.outputs, new.execution_count
        elif cell.cell_type == "code":
            shown, expected = ([said(output) for output in one.outputs] for one in (new, cell))
            assert shown == expected, f"{STORY} is not what it says; run the test with BARECODE_UPDATE=1:\n{cell.source}"
    nbformat.validate(story)
    if os.environ.get("BARECODE_UPDATE"):
        nbformat.write(story, STORY)
