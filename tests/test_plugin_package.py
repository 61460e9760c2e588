"""A plugin as a package: installed into an environment of its own, outside the checkout."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fresh import LAB, ROOT, Environment, built

LAB_REQUEST = ("cluster=lab", "framework=vllm", "multinode=true", "recipe=r.yaml")
DISTRIBUTION = "infx-policy-lab"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the checkout's wheel, what it needs, and the plugin."""
    folder = tmp_path_factory.mktemp("plugin")
    environment = Environment.made(folder)
    environment.pip("install", built(ROOT, folder / "wheels"), built(LAB, folder / "wheels"))
    return environment


@pytest.fixture
def second(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with a second plugin, `infx-policy-den`, installed; its hooks are the parameter."""
    project = tmp_path / "den"
    shutil.copytree(LAB, project, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "infx_policy_lab").rename(project / "infx_policy_den")
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace("policy-lab", "policy-den").replace("policy_lab", "policy_den"))
    module = project / "infx_policy_den" / "__init__.py"
    module.write_text(module.read_text().replace("lab-ssh", "den-ssh") if request.param is None else request.param)
    lanes = project / "infx_policy_den" / "tables" / "lanes" / "lab.yaml"
    lanes.write_text(lanes.read_text().replace("lab-ssh", "den-ssh"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--no-index", "--target", str(tmp_path / "site"), str(built(project, tmp_path / "wheels"))]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return tmp_path / "site"


def _hooks(body: str) -> str:
    return (
        "from infx_policy.driver import Driver\n"
        "from infx_policy.hookspecs import hookimpl\n"
        f"@hookimpl\n{body}\n"
    )  # fmt: skip


def test_it_is_listed_with_what_it_gives(installed: Environment) -> None:
    ran = installed.policy("plugins")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        f"{DISTRIBUTION} 0.1.0: clusters lab; lanes lab/srt-multi; drivers lab-ssh; "
        "hooks infx_clusters, infx_lanes, infx_drivers, infx_decided\n"
    )


def test_its_cluster_joins_the_inventory(installed: Environment) -> None:
    clusters = json.loads(installed.policy("clusters", "--format", "json").stdout)["clusters"]
    by_name = {one["cluster"]: one for one in clusters}
    assert len(by_name) == 14
    assert by_name["lab"]["contributor"] == DISTRIBUTION
    assert by_name["lab"]["source"] == f"{DISTRIBUTION}:runners.yaml:7"
    assert by_name["lab"]["runners"] == ["lab_0", "lab_1"]
    assert {one["contributor"] for name, one in by_name.items() if name != "lab"} == {"bundled tables"}


def test_explain_admits_by_its_rows_and_names_it(installed: Environment) -> None:
    ran = installed.policy("explain", *LAB_REQUEST, "--format", "json")
    found = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (found["verdict"], found["lane"], found["driver"]) == ("admitted", "srt-multi", "lab-ssh")
    assert found["run-root"]["path"] == "/disk/runs/{run-key}"
    assert found["settings"]["time-limit"]["value"] == "8:00:00"
    assert {row["contributor"] for row in found["considered"]} == {DISTRIBUTION}
    assert all(row["source"].startswith(f"{DISTRIBUTION}:lanes/lab.yaml:") for row in found["considered"])
    assert {f"{DISTRIBUTION}:runners.yaml", f"{DISTRIBUTION}:lanes/lab.yaml"} <= set(found["policy"]["files"])


def test_text_names_it_as_its_readme_shows(installed: Environment) -> None:
    text = " ".join(installed.policy("explain", *LAB_REQUEST).stdout.split())
    shown = f"srt-multi.admits.vllm ({DISTRIBUTION}:lanes/lab.yaml:8, of {DISTRIBUTION})"
    assert shown in text
    assert shown in (LAB / "README.md").read_text()


def test_its_runner_gives_the_cluster_and_other_clusters_decide_as_before(installed: Environment) -> None:
    by_runner = ("runner=lab_1", *LAB_REQUEST[1:])
    assert installed.policy("explain", *by_runner).stdout.startswith("ADMITTED  lab srt-multi")
    other = ("cluster=gb200-nv", *LAB_REQUEST[1:])
    assert installed.policy("explain", *other).stdout.startswith("ADMITTED  gb200-nv srt-multi")


def test_a_refusal_on_its_cluster_names_its_rows(installed: Environment) -> None:
    ran = installed.policy("explain", "cluster=lab", "framework=trt", "multinode=true", "recipe=r.yaml")
    assert ran.returncode == 1
    assert f"({DISTRIBUTION}:lanes/lab.yaml:8, of {DISTRIBUTION})" in " ".join(ran.stdout.split())


def test_it_is_told_of_each_decision_of_the_command_line(installed: Environment) -> None:
    program = (
        "import contextlib, io, infx_policy_lab\n"
        "from infx_policy.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    codes = main(['explain', *{LAB_REQUEST!r}]), main(['explain', 'cluster=lab', 'multinode=false'])\n"
        "print(codes, dict(infx_policy_lab.DECIDED))"
    )
    assert installed.run("python", "-c", program).stdout == "(0, 1) {'admitted': 1, 'refused': 1}\n"


@pytest.mark.parametrize("second", [None], indirect=True)
def test_two_that_claim_one_cluster_are_both_named(installed: Environment, second: Path) -> None:
    ran = installed.policy("explain", *LAB_REQUEST, path=second)
    assert (ran.returncode, ran.stdout) == (2, "")
    claimed = [line for line in ran.stderr.splitlines() if "cluster `lab`" in line]
    assert len(claimed) == 2, "its record and its lanes"
    assert all(line.startswith("ERROR: ") and DISTRIBUTION in line and "infx-policy-den" in line for line in claimed)


BROKEN = {
    "import": ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name'"),
    "signature": (_hooks("def infx_clusters(policy): return []"), "infx_clusters"),
}


@pytest.mark.parametrize(("second", "says"), list(BROKEN.values()), ids=list(BROKEN), indirect=["second"])
def test_a_broken_one_is_an_error_that_names_it_and_can_be_skipped(
    installed: Environment, second: Path, says: str
) -> None:
    ran = installed.policy("explain", *LAB_REQUEST, path=second)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("ERROR: entry point infx_policy_den: plugin `infx-policy-den` failed: ")
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    skipped = installed.policy("explain", *LAB_REQUEST, "--skip-broken-plugins", path=second)
    assert (skipped.returncode, skipped.stdout.partition("\n")[0]) == (0, "ADMITTED  lab srt-multi")
    assert skipped.stderr.startswith("WARNING: entry point infx_policy_den: plugin `infx-policy-den` failed: ")


@pytest.mark.parametrize(
    ("second", "driver", "owner"),
    [
        (_hooks("def infx_drivers(): return [Driver('lab-ssh', compute_nodes=True)]"), "lab-ssh", DISTRIBUTION),
        (_hooks("def infx_drivers(): return [Driver('srt-slurm', compute_nodes=True)]"), "srt-slurm", "infx-policy"),
    ],
    ids=["of-a-plugin", "built-in"],
    indirect=["second"],
)
def test_a_driver_that_is_taken_names_both(installed: Environment, second: Path, driver: str, owner: str) -> None:
    ran = installed.policy("clusters", path=second)
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("ERROR: ")
    assert f"driver `{driver}` is claimed by " in line
    assert owner in line
    assert "infx-policy-den" in line
