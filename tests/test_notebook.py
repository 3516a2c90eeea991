"""The notebook of the docs: its cells run in order and show what is stored with them.

``python tests/test_notebook.py`` runs it and stores anew what the cells show. No Jupyter is needed:
a notebook is JSON, and its last expressions are evaluated as a notebook would.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
SECONDS = re.compile(r"\bin \d+\.\d s\b")


def run(cells: list[str]) -> list[list[dict[str, Any]]]:
    """What each cell shows, as the outputs of a notebook."""
    names: dict[str, Any] = {}
    return [_shown(number, source, names) for number, source in enumerate(cells, 1)]


def _shown(number: int, source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": data,
            }
        )
    return outputs


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def executed(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of its cells, run in an empty folder that is gone afterwards."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return run(["".join(cell["source"]) for cell in code_cells(notebook)])
        finally:
            os.chdir(here)


def texts(outputs: list[list[dict[str, Any]]]) -> list[str]:
    """What the cells show as text, without seconds; HTML of Polars changes with its version."""
    return [
        SECONDS.sub("", "".join(output.get("text") or output["data"]["text/plain"]))
        for shown in outputs
        for output in shown
    ]


@pytest.mark.slow
def test_the_cells_show_what_is_stored_with_them():
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    stored = [cell["outputs"] for cell in code_cells(notebook)]
    assert texts(executed(notebook)) == texts(stored), "run: python tests/test_notebook.py"
    assert [cell["execution_count"] for cell in code_cells(notebook)] == [
        *range(1, len(stored) + 1)
    ]


def test_it_is_a_notebook_that_jupyter_opens():
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert notebook["nbformat"] == 4 and notebook["nbformat_minor"] == 5
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        assert {"id", "cell_type", "metadata", "source"} <= set(cell)


def rewrite() -> None:
    """Run the notebook and store what its cells show."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    for number, (cell, outputs) in enumerate(
        zip(code_cells(notebook), executed(notebook), strict=True), 1
    ):
        cell["outputs"], cell["execution_count"] = outputs, number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    rewrite()
