"""Requests as the command line takes them: words, files, lists, standard input, and what comes out."""

import json
from pathlib import Path

import pytest

from tests.cli.running import ADMITTED, GAP, REFUSED, REQUESTS, UNDECIDED, Cli

CASES = [("ADMITTED", 0, ADMITTED), ("REFUSED", 1, REFUSED), ("UNDECIDED", 1, UNDECIDED)]


@pytest.mark.parametrize(("verdict", "code", "words"), CASES, ids=lambda case: str(case)[:9])
def test_exit_code_and_head_tell_the_verdict(cli: Cli, verdict: str, code: int, words: tuple[str, ...]) -> None:
    ran = cli("explain", *words)
    assert (ran.code, ran.head, ran.err) == (code, f"{verdict}  gb200-nv srt-multi", "")


def test_one_that_is_not_admitted_makes_exit_1(cli: Cli) -> None:
    assert cli("explain", REQUESTS / "2p1d.yaml", REQUESTS / "1p1d.yaml").code == 0
    assert cli("explain", REQUESTS / "2p1d.yaml", REQUESTS / "undecided.yaml").code == 1


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_several_with_one_unreadable_get_no_verdict(cli: Cli, tmp_path: Path, form: str) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("cluster: gb200-nv\nframwork: vllm\n")
    assert cli("explain", "--format", form, REQUESTS / "2p1d.yaml", broken).faults == [
        f"{broken}:2:11: `framwork` is no key of a request; did you mean `framework`? [unknown-key]"
    ]


def test_one_report_holds_the_faults_of_all_files_and_of_the_policy(cli: Cli, tmp_path: Path) -> None:
    first, second, missing = tmp_path / "1.yaml", tmp_path / "2.json", tmp_path / "3.yaml"
    first.write_text("framework: vllm\nframework: trt\nmultinode: yes\n")
    second.write_text('[{"framework": "vllm"},\n {"precison": "fp4"}]')
    faults = cli("explain", first, second, missing, "--policy", tmp_path / "nowhere").faults
    places = [fault.split(": ")[0] for fault in faults]
    assert places == [
        f"{first}:2:1", f"{first}:3:12", f"{second}:2:15", str(missing), str(tmp_path / "nowhere")
    ]  # fmt: skip


def test_faults_of_words_stand_beside_those_of_the_file_they_are_laid_over(cli: Cli) -> None:
    places = [fault.split(": ")[0] for fault in cli("explain", "missing.yaml", "framwork=vllm").faults]
    assert sorted(places) == ["argument 2", "missing.yaml"]


def test_a_list_of_words_with_one_fault_is_one_line(cli: Cli) -> None:
    (fault,) = cli("explain", "concurrency=1,x").faults
    assert "`x` is no whole number" in fault


def test_without_a_request_it_says_what_it_takes(cli: Cli) -> None:
    (fault,) = cli("explain").faults
    assert "`-`, `key=value` words, or `--env`" in fault


def test_a_word_that_is_neither_fact_nor_file(cli: Cli) -> None:
    (fault,) = cli("explain", "gb200-nv").faults
    assert fault.startswith("argument 1: `gb200-nv` is no `key=value` word and no file")


def test_a_word_given_twice_names_both_places(cli: Cli) -> None:
    (fault,) = cli("explain", "model-prefix=dsv4", "agentic=true", "model_prefix=dsr1").faults
    assert fault.startswith("argument 3: `model_prefix` is written twice (first at argument 1")


def test_words_are_laid_over_a_file(cli: Cli) -> None:
    ran = cli("explain", REQUESTS / "2p1d.yaml", "framework=tilert", "roles.decode.tp=8", "--format", "json")
    request = json.loads(ran.out)["request"]
    assert (ran.code, request["framework"], request["model-prefix"]) == (1, "tilert", "dsv4")
    assert request["roles"]["decode"] == {"workers": 1, "tp": 8, "ep": 16, "dp-attn": True}


def test_words_are_laid_over_every_file_whichever_comes_first(cli: Cli) -> None:
    given = ("framework=trt", REQUESTS / "2p1d.yaml", "agentic=false", REQUESTS / "1p1d.yaml")
    found = json.loads(cli("explain", *given, "--format", "json").out)
    stated = [(one["request"]["framework"], one["request"]["agentic"]) for one in found]
    assert stated == [("trt", False)] * 2


def test_a_concurrency_word_replaces_the_file_s_largest(cli: Cli) -> None:
    found = json.loads(cli("explain", REQUESTS / "2p1d.yaml", "concurrency=1,2", "--format", "json").out)
    assert found["request"]["concurrency"] == [1, 2]


@pytest.mark.parametrize(
    "given",
    [b"cluster: gb200-nv\nframework: vllm\nmultinode: true\n", b'{"cluster": "gb200-nv", "framework": "vllm"}'],
    ids=["yaml", "json"],
)
def test_standard_input_is_a_request_and_words_lie_over_it(cli: Cli, given: bytes) -> None:
    ran = cli("explain", "-", "multinode=true", "recipe=r.yaml", given=given)
    assert (ran.code, ran.head) == (0, "ADMITTED  gb200-nv srt-multi")


@pytest.mark.parametrize(
    ("given", "code"),
    [(b"", "empty-file"), (b"\xff", "not-utf8"), (b"\xef\xbb\xbfcluster: x\n", "byte-order-mark"), (b"{", "syntax")],
)
def test_unreadable_standard_input_is_named(cli: Cli, given: bytes, code: str) -> None:
    (fault,) = cli("explain", "-", given=given).faults
    assert fault.startswith("standard input")
    assert fault.endswith(f"[{code}]")


def test_standard_input_larger_than_a_file_may_be_is_refused_and_not_cut_off(cli: Cli) -> None:
    given = "".join(f"{word.replace('=', ': ')}\n" for word in ADMITTED)
    padding = "# pad\n" * 1_400_000
    (fault,) = cli("explain", "-", given=f"{given}{padding}eval-only: maybe\n".encode()).faults
    assert fault.startswith("standard input: ")
    assert fault.endswith("[too-large]")


def test_a_device_is_no_file(cli: Cli) -> None:
    (fault,) = cli("explain", "/dev/null").faults
    assert fault == "/dev/null: `/dev/null` is a device or pipe, not a file; name a file [not-a-file]"


def test_a_list_is_answered_as_a_list_and_summed_up(cli: Cli, tmp_path: Path) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps([dict(word.split("=") for word in ADMITTED[:2]), {"cluster": "nowhere"}]))
    ran = cli("explain", listed)
    heads = [line for line in ran.out.splitlines() if line and not line.startswith(" ")]
    assert (ran.code, len(heads)) == (1, 3)
    assert heads[1:] == ["REFUSED  nowhere", "2 requests: 0 admitted, 1 refused, 1 undecided"]
    assert [one["verdict"] for one in json.loads(cli("explain", listed, "--format", "json").out)] == [
        "undecided", "refused"
    ]  # fmt: skip


def test_json_is_an_object_for_one_request_and_a_list_for_a_list_of_one(cli: Cli, tmp_path: Path) -> None:
    listed = tmp_path / "list.yaml"
    listed.write_text("- cluster: gb200-nv\n")
    one = json.loads(cli("explain", "cluster=gb200-nv", "--format", "json").out)
    assert json.loads(cli("explain", listed, "--format", "json").out) == [one]


def test_jsonl_has_a_line_a_request(cli: Cli) -> None:
    files = [REQUESTS / "2p1d.yaml", REQUESTS / "refused-no-lane.yaml", REQUESTS / "undecided.yaml"]
    lines = cli("explain", *files, "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == json.loads(cli("explain", *files, "--format", "json").out)


def test_json_is_compact_only_as_lines(cli: Cli) -> None:
    assert len(cli("explain", *ADMITTED, "--format", "jsonl").out.splitlines()) == 1
    assert len(cli("explain", *ADMITTED, "--format", "json").out.splitlines()) > 50


def test_all_shows_every_row_of_the_cluster(cli: Cli) -> None:
    considered = json.loads(cli("explain", *ADMITTED, "--format", "json").out)["considered"]
    plain, every = cli("explain", *ADMITTED).out, cli("explain", *ADMITTED, "--all").out
    labels = {row["row"] for row in considered}
    assert "script.takes" in labels
    assert all(label in every for label in labels)
    assert "script.takes" not in plain


def test_all_changes_nothing_in_json(cli: Cli) -> None:
    given = ("explain", *REFUSED, "--format", "json")
    assert cli(*given).out == cli(*given, "--all").out


@pytest.mark.parametrize("name", sorted(path.name for path in REQUESTS.glob("*.yaml")))
@pytest.mark.parametrize("policy", [(), ("--policy", str(GAP))], ids=["bundled", "gap"])
def test_text_and_json_agree(cli: Cli, name: str, policy: tuple[str, ...]) -> None:
    given = ("explain", REQUESTS / name, *policy)
    text, data = cli(*given), cli(*given, "--format", "json")
    found = json.loads(data.out)
    flat = " ".join(text.out.split())
    assert text.code == data.code
    assert text.head == f"{found['verdict'].upper()}  {found['cluster']} {found['lane'] or ''}".rstrip()
    assert all(f"{' '.join(one['message'].split())} [{one['code']}]" in flat for one in found["reasons"])
    assert f"run root {found['run-root']['kind']}: " in flat or found["run-root"]["kind"] is None
    assert all(f"mount {one['volume']} -> {one['target']}" in flat for one in found["mounts"] if not one["undecided"])
    assert all(one["lane"] in flat for one in found["nearest"])
    assert found["policy"]["digest"][:19] in flat
