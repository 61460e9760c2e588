"""The screen that a person reads."""

import re
from pathlib import Path

import pytest

from tests.cli.running import ADMITTED, GAP, REFUSED, REQUESTS, ROOT, UNDECIDED, Cli

_ROW = re.compile(r"(?P<label>[\w-]+\.[\w-]+\.[\w-]+) \((?P<file>[^ ():]+):(?P<line>\d+)\)")


def _entries(text: str) -> dict[str, list[str]]:
    """The entries of a screen by label, each with its lines joined."""
    found: dict[str, list[str]] = {}
    label = ""
    for line in text.splitlines()[1:]:
        assert line.startswith("  "), line
        named = line[2:19].strip()
        if named:
            label = named
            found.setdefault(label, []).append(line[19:].strip())
        else:
            found[label][-1] += f" {line[19:].strip()}"
    return found


def test_an_admitted_screen_says_where_and_why(cli: Cli) -> None:
    found = _entries(cli("explain", REQUESTS / "2p1d.yaml").out)
    assert found["admitted by"][0].startswith("srt-multi.admits.llm-d-vllm (lanes/gb200-nv.yaml:")
    assert found["admitted by"][0].endswith(
        "when {framework: vllm} srt-slurm's llm-d frontend runs plain vllm serve workers."
    )
    assert found["run root"][0].startswith("shared: /mnt/lustre01/users-public/sa-shared/gha-runs/{run-key} srt-multi.")
    assert found["run root"][0].endswith("The compute nodes do not mount the runner's checkout.")
    assert found["driver"] == ["srt-slurm, partition batch"]
    assert found["time limit"][0].startswith("6:00:00, from the cluster (recipe not read, cluster 6:00:00, lane none")
    assert [mount.partition(" -> ")[0] for mount in found["mount"]] == ["aiperf-cache", "hf-hub-cache"]
    assert "(world-writable), by srt-multi.mounts.aiperf-cache" in found["mount"][0]
    assert "file was not read" in found["note"][0]
    assert list(found)[-2:] == ["policy", "again"]


def test_a_workspace_is_named_by_its_path_where_that_is_stated(cli: Cli) -> None:
    request = REQUESTS / "single-node-srt.yaml"
    assert _entries(cli("explain", request).out)["run root"][0].startswith("workspace: {workspace} ")
    stated = _entries(cli("explain", request, "workspace=/home/runner/work").out)
    assert stated["run root"][0].startswith("workspace: /home/runner/work The nodes that run it see")


def test_a_setup_script_is_named_with_its_row(cli: Cli) -> None:
    found = _entries(
        cli("explain", "framework=dynamo-sglang", *[word for word in ADMITTED if "framework" not in word]).out
    )
    assert found["setup script"][0].startswith("install-torchao.sh, by srt-multi.setup-script.torchao (lanes/")


def test_a_refusal_gives_the_reason_the_nearest_rows_and_what_would_do(cli: Cli) -> None:
    found = _entries(cli("explain", *REFUSED).out)
    codes = [text.split()[-1] for text in found["because"]]
    assert codes == ["[no-admit-row]", "[no-shared-run-root]"]
    assert "missed framework is tilert, wants vllm" in " ".join(found["nearest rows"][0].split())
    (way,) = found["would do"]
    assert way.endswith("(lane srt-multi)")
    words = set(re.findall(r"[\w-]+", way.removeprefix("framework ").removesuffix("(lane srt-multi)"))) - {"or"}
    assert words == {"dynamo-sglang", "dynamo-trt", "dynamo-vllm", "vllm"}


@pytest.mark.parametrize("word", ["dynamo-sglang", "dynamo-trt", "dynamo-vllm", "vllm"])
def test_what_would_do_does(cli: Cli, word: str) -> None:
    assert cli("explain", f"framework={word}", *[each for each in REFUSED if "framework" not in each]).code == 0


def test_the_gap_is_told_with_the_row_to_add(cli: Cli) -> None:
    found = _entries(cli("explain", REQUESTS / "2p1d.yaml", "--policy", GAP).out)
    (because,) = found["because"]
    assert because.endswith("[no-shared-run-root]")
    assert "srt-multi.admits.llm-d-vllm" in because
    assert "shared-run-root" in because
    assert "lanes/gb200-nv.yaml" in because


def test_a_refusal_that_no_change_of_facts_mends_says_so(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "runners.yaml").write_text(
        "vocabulary: {framework: [vllm], model-prefix: {a: []}, precision: [fp4], spec-decoding: [none]}\n"
        "clusters: {lab: {gpus-per-node: 8, arch: x86_64, workspace: {visibility: shared}}}\n"
    )
    found = _entries(cli("explain", "cluster=lab", "--policy", str(tmp_path)).out)
    assert found["would do"] == ["no change of facts is admitted: the tables have to change"]


def test_an_undecided_screen_gives_the_condition_that_is_left(cli: Cli) -> None:
    found = _entries(cli("explain", *UNDECIDED).out)
    assert found["admitted when"] == [
        "framework is dynamo-sglang, dynamo-trt, dynamo-vllm or vllm (lane srt-multi, run root shared) "
        "refused otherwise"
    ]
    assert found["setup script"][0].startswith("undecided, by srt-multi.setup-script.torchao")


def test_each_way_that_is_left_is_an_entry(cli: Cli) -> None:
    found = _entries(cli("explain", "cluster=gb200-nv").out)
    ways = [*found["admitted when"], *found["or when"]]
    assert len(ways) == 3
    assert ways[0] == "not multinode and a bench-script is named (lane script, run root shared)"
    assert ways[1].startswith("multinode and a recipe is named and framework is dynamo-sglang, ")
    assert ways[2].startswith("not multinode and no bench-script is named (lane srt-single, ")


@pytest.mark.parametrize("words", [ADMITTED, REFUSED, UNDECIDED])
def test_every_row_stands_where_the_screen_says(cli: Cli, words: tuple[str, ...]) -> None:
    rows = list(_ROW.finditer(" ".join(cli("explain", *words, "--all").out.split())))
    assert len(rows) >= 10
    for row in rows:
        line = (ROOT / row["file"]).read_text().splitlines()[int(row["line"]) - 1]
        assert line.strip() == f"{row['label'].rpartition('.')[2]}:"


def test_all_marks_each_condition(cli: Cli) -> None:
    text = cli("explain", *ADMITTED, "--all").out
    assert "    missed  multinode is true, wants false\n" in text
    assert '    open    bench-script is not stated, wants not ""\n' in text
    assert "    held    framework is vllm\n" in text
    assert {"holds", "misses"} <= set(_entries(text))


@pytest.mark.parametrize("path", sorted(REQUESTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_lines_keep_to_their_width_unless_a_name_is_longer(cli: Cli, path: Path) -> None:
    for line in cli("explain", path, "--all").out.splitlines():
        long = not line.startswith("  again") and len(line) > 118
        assert not long or len(line.split()) == 1, line
