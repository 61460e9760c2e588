"""The wheel: what it holds, and that it answers outside the checkout as the checkout does."""

import os
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests.fresh import ROOT, Environment, built

REQUESTS = sorted((ROOT / "examples" / "requests").glob("*.yaml"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and what it says that it needs."""
    environment = Environment.made(tmp_path_factory.mktemp("installed"))
    environment.pip("install", wheel)
    for request in REQUESTS:
        shutil.copy(request, environment.elsewhere)
    return environment


def _checkout(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "infx_policy", *arguments]
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, check=False)


def test_it_holds_the_modules_the_tables_and_nothing_else(wheel: Path) -> None:
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "infx_policy").rglob("*.py")}
    tables = {f"infx_policy/tables/lanes/{path.name}" for path in (ROOT / "lanes").glob("*.yaml")}
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert archive.read("infx_policy/tables/runners.yaml") == (ROOT / "runners.yaml").read_bytes()
    held = {name for name in names if ".dist-info/" not in name}
    assert held == modules | tables | {"infx_policy/py.typed", "infx_policy/tables/runners.yaml"}
    assert len(tables) == 13
    assert len(names) == len(set(names))


def test_its_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = next(name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name)
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
        assert archive.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    needed = {line.partition(";")[0].strip() for line in metadata.get_all("Requires-Dist", []) if "extra" not in line}
    names = {"".join(char for char in line.partition(">")[0] if char not in " ") for line in needed}
    assert names == {"attrs", "cattrs", "interegular", "pluggy", "pyyaml", "structlog"}
    assert metadata["Requires-Python"] == ">=3.11"
    assert "infx-policy = infx_policy.__main__:main" in entry_points


def test_it_is_imported_from_the_environment_and_all_it_needs_is_there(installed: Environment) -> None:
    ran = installed.run("python", "-c", "import infx_policy; print(infx_policy.__file__)")
    assert Path(ran.stdout.strip()).is_relative_to(installed.path)
    installed.pip("check")


@pytest.mark.parametrize("name", [path.name for path in REQUESTS])
def test_both_commands_answer_as_the_checkout_does(installed: Environment, name: str) -> None:
    arguments = ("explain", name, "--format", "json")
    expected = _checkout(*arguments, cwd=installed.elsewhere)
    script, module = installed.run("infx-policy", *arguments), installed.policy(*arguments)
    assert expected.stdout.startswith("{")
    assert (script.stdout, script.returncode, script.stderr) == (expected.stdout, expected.returncode, "")
    assert (module.stdout, module.returncode, module.stderr) == (expected.stdout, expected.returncode, "")


def test_text_and_the_other_commands_are_the_same_too(installed: Environment) -> None:
    for arguments in (("explain", "2p1d.yaml", "--all"), ("clusters",), ("plugins",), ("schema", "lanes"), ("--help",)):
        expected = _checkout(*arguments, cwd=installed.elsewhere)
        assert (installed.policy(*arguments).stdout, expected.returncode) == (expected.stdout, 0)


def test_an_expected_failure_is_one_line_there_too(installed: Environment) -> None:
    ran = installed.run("infx-policy", "explain", "missing.yaml")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("ERROR: missing.yaml: ")
    assert ran.stderr.count("\n") == 1


def test_logs_and_the_bundled_tables_as_a_base_work_there(installed: Environment) -> None:
    folder = installed.elsewhere / "mine"
    folder.mkdir()
    (folder / "runners.yaml").write_text("extends: bundled\n")
    ran = installed.run("infx-policy", "explain", "2p1d.yaml", "--policy", "mine", "--log-level", "info")
    assert (ran.returncode, ran.stdout.partition("\n")[0]) == (0, "ADMITTED  gb200-nv srt-multi")
    assert "event='decided'" in ran.stderr
