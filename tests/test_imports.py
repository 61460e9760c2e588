"""What a command imports is what it uses, and nothing below the command line touches the outside."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REQUESTS = ROOT / "examples" / "requests"
ADMITTED, REFUSED, UNDECIDED = (REQUESTS / f"{name}.yaml" for name in ("2p1d", "refused-framework", "undecided"))

NEVER = {"asyncio", "hypothesis", "multiprocessing", "pytest", "random", "socket", "ssl", "subprocess", "tempfile"}
"""What no explain imports, whatever it is asked."""
SELDOM = {
    "csv",
    "difflib",
    "email",
    "hashlib",
    "importlib.metadata",
    "interegular",
    "json",
    "logging",
    "pluggy",
    "shutil",
    "structlog",
    "zipfile",
}
"""What only an explain imports that needs it."""
COMMAND = {"cli", "cli.explain", "cli.main", "cli.output", "cli.requests", "cli.tables", "cli.text"}
"""The modules of the command line that the explain of an admitted request needs."""
LAYERS = next(
    one["layers"]
    for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    if one["type"] == "layers"
)
"""The package's modules, top first."""
ANALYSIS = {*LAYERS[: LAYERS.index("evaluation")], "completion", "hookspecs", "environment"} - {
    "__main__", "cli", "explanation"
}  # fmt: skip
"""The modules above evaluation, and those below it that it calls where it must."""
PROGRAM = """
import sys
{before}
from infx_policy.__main__ import main
code = main({arguments!r})
assert code in (0, 1), code
print(*sorted(sys.modules), file=sys.stderr)
"""


@cache
def loaded(*arguments: str, before: str = "") -> frozenset[str]:
    """The modules that are loaded after a command; `-S` keeps out what a venv's `.pth` files import."""
    environ = {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    program = PROGRAM.format(arguments=list(arguments), before=before)
    command = [sys.executable, "-S", "-c", program]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return frozenset(ran.stderr.splitlines()[-1].split())


def ours(modules: frozenset[str]) -> set[str]:
    """Those of this package, without its name."""
    return {name.removeprefix("infx_policy.") for name in modules if name.startswith("infx_policy.")}


def beyond(modules: frozenset[str]) -> set[str]:
    """Those that the explain of an admitted request must not load."""
    command = {name for name in ours(modules) if name.partition(".")[0] == "cli"}
    return set(modules & (NEVER | SELDOM)) | (ours(modules) & ANALYSIS) | (command - COMMAND)


def test_an_admitted_request_loads_only_what_it_uses() -> None:
    assert beyond(loaded("explain", str(ADMITTED))) == set()


def test_what_it_must_not_load_is_there_to_be_loaded() -> None:
    assert {"alternatives", "residual", "completion"} < ANALYSIS
    for name in [f"infx_policy.{each}" for each in ANALYSIS | COMMAND] + sorted(NEVER | SELDOM):
        assert find_spec(name), name


def test_words_load_no_more() -> None:
    given = ("cluster=gb200-nv", "framework=vllm", "agentic=true", "multinode=true", "recipe=r.yaml")
    assert beyond(loaded("explain", *given)) == set()


def test_the_environment_loads_its_own_module() -> None:
    plain, more = (loaded("explain", *given, "cluster=gb200-nv") for given in ((), ("--env",)))
    assert "environment" not in ours(plain)
    assert beyond(more) - beyond(plain) == {"environment"}


@pytest.mark.parametrize("name", ["json", "structlog", "infx_policy.residual", "random"])
def test_the_check_sees_what_it_is_to_see(name: str) -> None:
    found = beyond(loaded("explain", str(ADMITTED), before=f"import {name}"))
    assert name.removeprefix("infx_policy.") in found


@pytest.mark.parametrize(
    ("options", "module"),
    [
        (("--log-level", "info"), "structlog"),
        (("--log-level", "info"), "infx_policy.cli.logs"),
        (("--format", "json"), "json"),
        (("--format", "jsonl"), "json"),
    ],
)
def test_an_option_loads_what_it_needs(options: tuple[str, ...], module: str) -> None:
    plain, more = loaded("explain", str(ADMITTED)), loaded("explain", str(ADMITTED), *options)
    assert module not in plain
    assert module in more


def test_logs_load_no_json_and_json_no_logs() -> None:
    assert "structlog" not in loaded("explain", str(ADMITTED), "--format", "json")
    assert "json" not in loaded("explain", str(ADMITTED), "--log-level", "error") - loaded_by_structlog()


def loaded_by_structlog() -> frozenset[str]:
    """What structlog brings itself."""
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = "import sys, structlog; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]
    return frozenset(subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.split())


def test_a_verdict_loads_the_analysis_that_it_needs() -> None:
    admitted, refused, undecided = (ours(loaded("explain", str(path))) for path in (ADMITTED, REFUSED, UNDECIDED))
    assert "alternatives" in refused
    assert "residual" in undecided
    assert not {"alternatives", "residual", "completion"} & admitted
    assert "residual" not in refused
    assert "alternatives" not in undecided


@pytest.mark.parametrize("path", [ADMITTED, REFUSED, UNDECIDED], ids=lambda path: path.stem)
def test_no_verdict_loads_what_none_needs(path: Path) -> None:
    assert not loaded("explain", str(path)) & (NEVER | {"pluggy", "importlib.metadata", "structlog", "hashlib"})


def test_a_json_request_loads_json(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"cluster": "gb200-nv", "framework": "vllm", "multinode": True, "recipe": "r"}))
    assert "json" in loaded("explain", str(path))


# What reaches out of the process, by the module that holds it.

PACKAGE = ROOT / "infx_policy"
BELOW = sorted(path for path in PACKAGE.rglob("*.py") if path.parent == PACKAGE and path.name != "__main__.py")
OUTSIDE = {"asyncio", "datetime", "getpass", "http", "logging", "multiprocessing", "random", "secrets", "signal",
           "socket", "ssl", "subprocess", "tempfile", "time", "urllib", "uuid"}  # fmt: skip
ALLOWED = {"revision": {"subprocess", "tempfile"}}
"""Git is asked there, and nowhere else."""
CALLS = {"print", "input", "exit", "quit", "breakpoint"}
ATTRIBUTES = {
    "os": {"environ", "environb", "getenv", "putenv", "_exit", "system", "popen", "fork", "kill", "getpid", "urandom"},
    "sys": {"exit", "stdout", "stderr", "stdin", "argv", "__stdout__", "__stderr__"},
}


def reaches(source: str) -> Iterator[str]:
    """What of the outside a module's source names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (top for one in node.names if (top := one.name.partition(".")[0]) in OUTSIDE)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            top = node.module.partition(".")[0]
            yield from [top] if top in OUTSIDE else []
            yield from (f"{top}.{one.name}" for one in node.names if one.name in ATTRIBUTES.get(top, set()))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.func.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in ATTRIBUTES.get(node.value.id, set()):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Raise) and node.exc is not None and "SystemExit" in ast.unparse(node.exc):
            yield "SystemExit"


@pytest.mark.parametrize("path", BELOW, ids=lambda path: path.stem)
def test_a_module_below_the_command_line_does_not_touch_the_outside(path: Path) -> None:
    assert set(reaches(path.read_text())) <= ALLOWED.get(path.stem, set())


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import os\ndef f(): return os.environ['A']", "os.environ"),
        ("from os import getenv", "os.getenv"),
        ("import sys\nsys.exit(1)", "sys.exit"),
        ("def f(): print('x')", "print"),
        ("def f():\n    import time", "time"),
        ("from urllib.request import urlopen", "urllib"),
        ("raise SystemExit(2)", "SystemExit"),
        ("import subprocess", "subprocess"),
    ],
)
def test_the_scan_sees_what_it_is_to_see(source: str, what: str) -> None:
    assert list(reaches(source)) == [what]


def test_the_command_line_is_what_the_scan_leaves_out() -> None:
    found = {what for path in (PACKAGE / "cli").glob("*.py") for what in reaches(path.read_text())}
    assert {"os.environ", "sys.stdout", "sys.stderr", "SystemExit"} <= found
