"""P07: the same meaning arrives in several spellings and each reader understands its own set of them."""

import pytest

from tests.cases.making import Cli, Ran, named

ENVIRONMENT = {
    "RUNNER_NAME": "b200-nscale-slurm_00",
    "MODEL": "deepseek-ai/DeepSeek-V4-Pro",
    "MODEL_PREFIX": "dsv4",
    "PRECISION": "fp4",
    "FRAMEWORK": "dynamo-sglang",
    "SPEC_DECODING": "mtp",
    "IS_AGENTIC": "1",
    "IS_MULTINODE": "true",
    "CONFIG_FILE": "recipes/r.yaml",
}


@pytest.fixture
def explained(run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """explain --env with variables laid over the environment; words are laid over that."""

    def run(*words: str, **variables: str) -> Ran:
        for name, value in {**ENVIRONMENT, **variables}.items():
            monkeypatch.setenv(name, value)
        return run_cli("explain", "--env", *words, "--format", "json")

    return run


def test_as_given_it_goes_to_srt_native(explained: Cli) -> None:
    ran = explained()
    assert (ran.code, ran.verdict, ran.document["lane"]) == (0, "admitted", "srt-native")


def test_a_synonym_is_refused_with_the_word_that_the_lane_takes(explained: Cli) -> None:
    ran = explained(SPEC_DECODING="draft_model")
    assert (ran.code, ran.verdict) == (1, "refused")
    (native,) = [one for one in ran.document["considered"] if one["row"] == "srt-native.takes"]
    assert native["held"] is False
    nearest = [one for one in native["conditions"] if one["held"] is not True]
    assert [one["fact"] for one in nearest] == ["spec-decoding"]
    assert nearest[0]["value"] == "draft_model"
    (offered,) = [one for one in ran.document["nearest"] if "spec-decoding" in one["facts"]]
    assert (offered["lane"], "mtp" in offered["facts"]["spec-decoding"]) == ("srt-native", True)
    admitted = explained("spec-decoding=mtp", SPEC_DECODING="draft_model")
    assert (admitted.verdict, admitted.document["lane"]) == ("admitted", "srt-native")


def test_a_blank_is_unstated(explained: Cli) -> None:
    ran = explained(SPEC_DECODING="")
    assert (ran.code, ran.verdict) == (1, "undecided")
    assert "spec-decoding" not in ran.document["request"]
    assert "spec-decoding" not in ran.document["defaults"]
    assert all("spec-decoding" in one["when"] for one in ran.document["residual"])
    assert ran.document["residual"]


@pytest.mark.parametrize(
    "other",
    [
        {"IS_AGENTIC": "true"},
        {"IS_MULTINODE": "1"},
        {"IS_AGENTIC": "TRUE", "IS_MULTINODE": "True"},
    ],
)
def test_all_flags_share_one_set_of_words(explained: Cli, other: dict[str, str]) -> None:
    before, after = explained(), explained(**other)
    for key in ("request", "verdict"):
        assert before.document[key] == after.document[key]
    assert before.code == after.code


def test_any_other_word_is_an_error_and_all_of_them_come_at_once(run_cli: Cli, explained: Cli) -> None:
    ran = explained(IS_AGENTIC="maybe", IS_MULTINODE="2")
    agentic, multinode = ran.faults_of("not-a-boolean")
    named(["IS_AGENTIC", "`maybe`", "`true`, `false`, `1` or `0`"], agentic)
    named(["IS_MULTINODE", "`2`", "`true`, `false`, `1` or `0`"], multinode)
    assert run_cli("explain", "--env").faults == ran.faults
