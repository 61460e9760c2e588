"""Which tables a command works on."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import GAP, REQUESTS, ROOT, Cli

UPSTREAM = ROOT / "examples" / "upstream"


def _root(cli: Cli, *options: str) -> object:
    return json.loads(cli("clusters", "--format", "json", *options).out)["policy"]["root"]


def test_the_bundled_ones_where_nothing_is_said(cli: Cli) -> None:
    assert _root(cli) == "bundled"


def test_the_option_goes_before_the_variable(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFX_POLICY_ROOT", str(GAP))
    assert _root(cli) == str(GAP)
    assert _root(cli, "--policy", str(UPSTREAM)) == str(UPSTREAM)


def test_an_empty_variable_is_unset(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFX_POLICY_ROOT", "")
    assert _root(cli) == "bundled"


def test_the_root_is_shown_as_it_was_given(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert _root(cli, "--policy", "examples/gap") == "examples/gap"


def test_other_tables_give_another_verdict_and_digest(cli: Cli) -> None:
    request = REQUESTS / "2p1d.yaml"
    bundled, gap = cli("explain", request), cli("explain", request, "--policy", GAP)
    assert (bundled.code, gap.code) == (0, 1)
    digests = [line.split()[-1] for ran in (bundled, gap) for line in ran.out.splitlines() if "  policy " in line]
    assert len(set(digests)) == 2
    assert all(digest.startswith("sha256:") for digest in digests)


@pytest.mark.parametrize("command", [("explain", "cluster=gb200-nv"), ("clusters",), ("plugins",)], ids=lambda c: c[0])
@pytest.mark.parametrize("through", ["option", "variable"])
def test_a_folder_that_is_not_there(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], through: str
) -> None:
    if through == "variable":
        monkeypatch.setenv("INFX_POLICY_ROOT", "nowhere")
    (fault,) = cli(*command, *(["--policy", "nowhere"] if through == "option" else [])).faults
    assert fault.startswith("nowhere: `nowhere` is not there; this place takes a folder with `runners.yaml`")


def test_a_file_is_no_policy(cli: Cli) -> None:
    (fault,) = cli("clusters", "--policy", ROOT / "runners.yaml").faults
    assert "is a file; this place takes a folder" in fault


def test_a_folder_without_an_inventory(cli: Cli, tmp_path: Path) -> None:
    (fault,) = cli("clusters", "--policy", tmp_path).faults
    assert fault.startswith("runners.yaml: `runners.yaml` is not there")


def test_an_extended_folder_whose_name_is_too_long(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "runners.yaml").write_text(f"extends: {'x' * 5000}\n")
    assert cli("clusters", "--policy", tmp_path).faults


def test_faults_of_all_tables_come_in_one_report(cli: Cli, tmp_path: Path) -> None:
    root = tmp_path / "gap"
    shutil.copytree(GAP, root)
    (root / "runners.yaml").write_text(f"extends: {ROOT}\nclusers: {{}}\n")
    lanes = root / "lanes" / "gb200-nv.yaml"
    lanes.write_text(lanes.read_text().replace("because:", "becuase:", 1))
    faults = cli("clusters", "--policy", root).faults
    assert any(fault.startswith("runners.yaml:2:1: `clusers`") for fault in faults)
    assert any("did you mean `because`?" in fault for fault in faults)
