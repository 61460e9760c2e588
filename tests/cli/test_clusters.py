"""`clusters`: the inventory."""

import json

import pytest

from infx_policy.loading import load_policy
from tests.cli.running import ROOT, Cli


def test_a_line_a_cluster_under_a_head(cli: Cli) -> None:
    ran = cli("clusters")
    lines = [line.split() for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert lines[0] == ["cluster", "runners", "gpus-per-node", "arch", "workspace", "lanes", "source"]
    assert [line[0] for line in lines[1:]] == sorted(load_policy(with_plugins=()).inventory.clusters)
    assert sum(int(line[1]) for line in lines[1:]) == 151


def test_columns_stand_under_their_heads(cli: Cli) -> None:
    lines = cli("clusters").out.splitlines()
    begins = [lines[0].index(name) for name in ("runners", "gpus-per-node", "arch", "workspace", "lanes", "source")]
    assert all(line[begin - 1] == " " and line[begin] != " " for line in lines for begin in begins)
    assert all(line == line.rstrip() for line in lines)


def test_json_holds_the_record(cli: Cli) -> None:
    found = json.loads(cli("clusters", "--format", "json").out)
    one = next(each for each in found["clusters"] if each["cluster"] == "gb200-nv")
    assert (found["schema"], len(found["clusters"])) == ("infx-policy/clusters/1", 13)
    assert set(found["policy"]) == {"root", "digest", "files"}
    assert (one["gpus-per-node"], one["arch"], one["partition"]) == (4, "aarch64", "batch")
    assert (one["workspace"], one["contributor"]) == ("submit-host", "bundled tables")
    assert one["runners"][0] == "gb200-nv_00"
    assert one["shared-run-root"].startswith("/mnt/")
    assert one["lanes"] == {"srt-single": "srt-slurm", "script": "slurm", "srt-multi": "srt-slurm"}
    assert {volume["visibility"] for volume in one["volumes"].values()} <= {"shared", "node-local"}


def test_every_cluster_has_every_key(cli: Cli) -> None:
    clusters = json.loads(cli("clusters", "--format", "json").out)["clusters"]
    assert len({tuple(one) for one in clusters}) == 1


@pytest.mark.parametrize("name", ["gb200-nv", "h100-cw", "mi355x-amds"])
def test_the_source_is_the_record_s_line(cli: Cli, name: str) -> None:
    clusters = json.loads(cli("clusters", "--format", "json").out)["clusters"]
    file, line = next(one["source"] for one in clusters if one["cluster"] == name).split(":")
    assert (ROOT / file).read_text().splitlines()[int(line) - 1] == f"  {name}:"
