"""`plugins`, and what any command says of plugins that fail. Here they are folders on the import path, as an
installation leaves them; tests/test_plugin_package.py installs real ones.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import ADMITTED, Cli

HOOKS = """
from pathlib import Path
from infx_policy.driver import TIME_LIMIT, Driver
from infx_policy.hookspecs import hookimpl
TABLES = Path(__file__).parent / "tables_{name}"
"""
GIVES = """
@hookimpl
def infx_clusters(): return TABLES
@hookimpl
def infx_lanes(): return [TABLES]
@hookimpl
def infx_drivers(): return [Driver("{name}-ssh", compute_nodes=True, consumes=(TIME_LIMIT,))]
TOLD = []
@hookimpl
def infx_decided(decision): TOLD.append(decision.verdict.value)
"""
RUNNERS = """
labels:
  "cluster:{cluster}": [{cluster}_00]
clusters:
  {cluster}:
    gpus-per-node: 8
    arch: x86_64
    workspace: {{visibility: shared}}
"""
LANES = """
cluster: {cluster}
lanes:
  srt-multi:
    takes: {{multinode: true}}
    driver: {name}-ssh
    admits:
      engines: {{when: {{framework: vllm}}, because: It runs them.}}
"""


class Site:
    """A folder on the import path, with plugins in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: list[str] = []

    def add(self, name: str, body: str = GIVES, *, cluster: str | None = None, version: str = "1.2") -> None:
        """Installs a plugin whose module holds `body`, with tables of `cluster`."""
        module = f"plugin_{name}"
        self.names.append(module)
        (self.path / f"{module}.py").write_text((HOOKS + body).replace("{name}", name))
        info = self.path / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[infx_policy]\n{name} = {module}\n")
        tables = self.path / f"tables_{name}"
        (tables / "lanes").mkdir(parents=True)
        if cluster is not None:
            (tables / "runners.yaml").write_text(RUNNERS.format(cluster=cluster))
            (tables / "lanes" / "one.yaml").write_text(LANES.format(cluster=cluster, name=name))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(tmp_path)
    found = Site(tmp_path)
    yield found
    for name in found.names:
        sys.modules.pop(name, None)


def test_without_one_it_says_so(cli: Cli) -> None:
    ran = cli("plugins")
    assert (ran.code, ran.out, ran.err) == (0, "no plugin is installed: every row is of the tables\n", "")


def test_a_plugin_is_listed_with_what_it_gives(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    assert cli("plugins").out == (
        "beta 1.2: clusters lab; lanes lab/srt-multi; drivers beta-ssh; "
        "hooks infx_clusters, infx_lanes, infx_drivers, infx_decided\n"
    )
    found = json.loads(cli("plugins", "--format", "json").out)
    assert found["plugins"] == [
        {
            "distribution": "beta",
            "version": "1.2",
            "hooks": ["infx_clusters", "infx_lanes", "infx_drivers", "infx_decided"],
            "clusters": ["lab"],
            "lanes": ["lab/srt-multi"],
            "drivers": ["beta-ssh"],
        }
    ]
    assert {"beta:runners.yaml", "beta:lanes/one.yaml"} <= set(found["policy"]["files"])


def test_plugins_come_in_order_of_their_names(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    site.add("alpha", cluster="den")
    assert [line.split()[0] for line in cli("plugins").out.splitlines()] == ["alpha", "beta"]


def test_its_tables_and_driver_count_in_the_digest(cli: Cli, site: Site) -> None:
    def digest() -> str:
        return str(json.loads(cli("plugins", "--format", "json").out)["policy"]["digest"])

    digests = [digest()]
    site.add("alpha", body="@hookimpl\ndef infx_clusters(): return TABLES\n")
    (site.path / "tables_alpha" / "runners.yaml").write_text(RUNNERS.format(cluster="lab"))
    digests.append(digest())
    site.add("beta", body="@hookimpl\ndef infx_drivers(): return [Driver('beta-ssh', compute_nodes=True)]\n")
    digests.append(digest())
    assert len(set(digests)) == 3


def test_it_is_told_of_each_decision_of_the_command(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    cli("explain", *ADMITTED)
    cli("explain", "cluster=lab", "multinode=true", "recipe=")
    assert sys.modules["plugin_beta"].TOLD == ["admitted", "refused"]


@pytest.mark.parametrize("error", ["OSError('no\\nspace')", "SystemExit('no')"])
def test_one_that_fails_when_told_changes_no_answer(cli: Cli, site: Site, error: str) -> None:
    before = cli("explain", *ADMITTED)
    site.add("beta", body=f"@hookimpl\ndef infx_decided(decision): raise {error}\n")
    ran = cli("explain", *ADMITTED)
    assert (ran.code, ran.out) == (0, before.out)
    assert ran.err.startswith("ERROR: plugin `beta` failed in `infx_decided`: no")
    assert len(ran.err.splitlines()) == 1


BROKEN = {
    "import": ("import nothing_of_that_name", "nothing_of_that_name"),
    "syntax": ("def", "SyntaxError"),
    "raises": ("raise ValueError('first\\nsecond')", "first"),
    "exits": ("raise SystemExit(0)", "SystemExit"),
    "exits-with-text": ("import sys; sys.exit('bye')", "SystemExit"),
    "no-hook": ("", "implements no hook"),
    "unknown-hook": ("@hookimpl\ndef infx_cluster(): return TABLES", "infx_cluster"),
    "signature": ("@hookimpl\ndef infx_clusters(policy): return TABLES", "policy"),
    "no-driver": ("@hookimpl\ndef infx_drivers(): return ['ssh']", "'ssh'"),
    "one-driver": ("@hookimpl\ndef infx_drivers(): return Driver('x', compute_nodes=True)", "Driver"),
    "no-folder": ("@hookimpl\ndef infx_clusters(): return 3", "int"),
    "hook-raises": ("@hookimpl\ndef infx_lanes(): raise KeyError('lanes')", "KeyError"),
}


@pytest.mark.parametrize(("body", "says"), list(BROKEN.values()), ids=list(BROKEN))
def test_a_broken_one_is_one_error_that_names_it(cli: Cli, site: Site, body: str, says: str) -> None:
    site.add("beta", body=body)
    (fault,) = cli("explain", *ADMITTED).faults
    assert fault.startswith("entry point plugin_beta: plugin `beta` failed: ")
    assert says in fault
    assert "--skip-broken-plugins" in fault
    assert fault.endswith("[plugin-broken]")


@pytest.mark.parametrize("command", ["plugins", "clusters"])
def test_a_broken_one_stops_every_command(cli: Cli, site: Site, command: str) -> None:
    site.add("beta", body="import nothing_of_that_name")
    (fault,) = cli(command).faults
    assert "plugin `beta` failed" in fault


@pytest.mark.parametrize(("body", "says"), list(BROKEN.values()), ids=list(BROKEN))
def test_a_broken_one_can_be_skipped(cli: Cli, site: Site, body: str, says: str) -> None:
    before = cli("explain", *ADMITTED)
    site.add("beta", body=body)
    ran = cli("explain", *ADMITTED, "--skip-broken-plugins")
    (warning,) = ran.err.splitlines()
    assert warning.startswith("WARNING: entry point plugin_beta: plugin `beta` failed: ")
    assert says in warning
    assert (ran.code, ran.head) == (before.code, before.head)


def test_the_line_that_asks_again_skips_it_too(cli: Cli, site: Site) -> None:
    site.add("beta", body="import nothing_of_that_name")
    (line,) = cli("explain", *ADMITTED, "--skip-broken-plugins").again
    assert cli(*line).code == 0


def test_skipping_keeps_the_whole_ones(cli: Cli, site: Site) -> None:
    site.add("alpha", body="import nothing_of_that_name")
    site.add("beta", cluster="lab")
    ran = cli("plugins", "--skip-broken-plugins")
    assert [line.split()[0] for line in ran.out.splitlines()] == ["beta"]
    assert ran.err.count("WARNING") == 1


def test_faults_of_plugins_stand_beside_those_of_the_request(cli: Cli, site: Site) -> None:
    site.add("beta", body="import nothing_of_that_name")
    assert len(cli("explain", "framwork=x").faults) == 2


def test_two_that_claim_one_cluster_are_both_named(cli: Cli, site: Site) -> None:
    site.add("alpha", cluster="lab")
    site.add("beta", cluster="lab")
    faults = cli("clusters").faults
    claimed = sorted(fault.split("`")[0].partition(": ")[2] for fault in faults)
    assert claimed == ["cluster ", "label ", "lanes of cluster "]
    assert all("by alpha (" in fault and "by `beta`;" in fault for fault in faults), faults
    assert all(fault.endswith("[duplicate-claim]") for fault in faults)


def test_one_that_claims_a_bundled_cluster(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="gb200-nv")
    begin = "cluster `gb200-nv` is claimed by bundled tables (runners.yaml:"
    assert any(begin in fault and "by `beta`" in fault for fault in cli("clusters").faults)


@pytest.mark.parametrize("taken", ["slurm", "alpha-ssh"])
def test_one_that_declares_a_driver_that_is_there(cli: Cli, site: Site, taken: str) -> None:
    site.add("alpha", cluster="lab")
    site.add("beta", body=f"@hookimpl\ndef infx_drivers(): return [Driver('{taken}', compute_nodes=True)]")
    (fault,) = cli("clusters").faults
    owner = "infx-policy" if taken == "slurm" else "alpha"
    assert f"driver `{taken}` is claimed by {owner} and by `beta`" in fault


def test_faults_in_its_tables_bear_its_name(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    lanes = site.path / "tables_beta" / "lanes" / "one.yaml"
    lanes.write_text(lanes.read_text().replace("beta-ssh", "5"))
    (fault,) = cli("clusters").faults
    assert fault.startswith("beta:lanes/one.yaml:6:13: `5` is read as a number")


def test_a_folder_that_is_not_there_bears_its_name(cli: Cli, site: Site) -> None:
    site.add("beta", body="@hookimpl\ndef infx_clusters(): return TABLES / 'no'")
    (fault,) = cli("clusters").faults
    assert fault.startswith("beta:runners.yaml: ")
    assert fault.endswith("[not-found]")


def test_lanes_in_a_folder_that_is_not_there_are_a_fault(cli: Cli, site: Site) -> None:
    site.add("beta", body="@hookimpl\ndef infx_lanes(): return TABLES / 'no'")
    (fault,) = cli("clusters").faults
    assert fault.startswith("beta:lanes: ")


def test_lanes_of_a_cluster_without_a_record(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    (site.path / "tables_beta" / "runners.yaml").write_text("vocabulary: {framework: [lab-engine]}\n")
    (fault,) = cli("clusters").faults
    assert fault.startswith("beta:lanes/one.yaml:2:1: no record of cluster `lab`")


def test_one_that_extends_a_policy_is_told_that_it_can_not(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    runners = site.path / "tables_beta" / "runners.yaml"
    runners.write_text(f"extends: bundled\n{runners.read_text()}")
    (fault,) = cli("clusters").faults
    assert fault.startswith("beta:runners.yaml:1:")
    assert "extends" in fault


def test_its_words_join_the_vocabulary(cli: Cli, site: Site) -> None:
    site.add("beta", cluster="lab")
    assert "unknown-framework" in cli("explain", "framework=lab-engine").out
    runners = site.path / "tables_beta" / "runners.yaml"
    runners.write_text(runners.read_text() + "vocabulary: {framework: [lab-engine]}\n")
    assert "unknown-framework" not in cli("explain", "framework=lab-engine").out
    assert cli("explain", *ADMITTED).code == 0
