"""Reasons are data; a sentence is made for each code, with a remedy."""

import re

import pytest

from infx_policy.reasons import SENTENCES, Reason, ReasonCode, reason, sentence
from infx_policy.source import Source


def test_every_code_has_one_sentence_and_a_wire_name() -> None:
    assert set(SENTENCES) == set(ReasonCode)
    for code in ReasonCode:
        assert code.value == code.name.lower().replace("_", "-")
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code.value)


_WITHOUT_REMEDY = {ReasonCode.NO_ADMIT_ROW, ReasonCode.NO_LANE, ReasonCode.REFUSED_BY_ROW}
"""What the rows say is right: there the nearest changes are the remedy."""


@pytest.mark.parametrize("code", ReasonCode, ids=lambda code: code.value)
def test_a_sentence_says_what_is_wrong_and_the_remedy(code: ReasonCode) -> None:
    if code in _WITHOUT_REMEDY:
        assert ";" not in SENTENCES[code] or code is ReasonCode.NO_LANE
    else:
        assert "; " in SENTENCES[code]
    assert not SENTENCES[code].endswith(".")


def test_the_form_of_json() -> None:
    one = reason(
        ReasonCode.REFUSED_BY_ROW,
        "l.refuses.r",
        Source("lanes/c.yaml", 7, 3),
        {"agentic": True},
        rows="`l.refuses.r`",
        because="It is so.",
    )
    assert one.to_mapping() == {
        "code": "refused-by-row",
        "message": "row `l.refuses.r` refuses it: It is so.",
        "row": "l.refuses.r",
        "source": "lanes/c.yaml:7",
        "facts": {"agentic": True},
    }
    bare = reason(ReasonCode.NO_RECIPE).to_mapping()
    assert (bare["row"], bare["source"], bare["facts"]) == (None, None, {})


def test_equal_reasons_are_equal_and_hash_alike() -> None:
    one = reason(ReasonCode.NO_RECIPE, facts={"multinode": True})
    assert one == reason(ReasonCode.NO_RECIPE, facts={"multinode": True})
    assert len({one, reason(ReasonCode.NO_RECIPE, facts={"multinode": True})}) == 1
    assert one != reason(ReasonCode.NO_RECIPE)


def _unknown(word: str, nearest: str) -> Reason:
    return reason(ReasonCode.UNKNOWN_FRAMEWORK, fact="framework", word=word, nearest=nearest)


def test_a_word_of_the_request_is_shown_on_one_line() -> None:
    assert sentence(_unknown("a`b", "")).startswith("`framework` `a`b` is not in")
    assert "\n" not in sentence(_unknown("a\nb", ""))
    assert len(sentence(_unknown("x" * 10_000, ""))) < 400
    assert sentence(_unknown("{word}", "")).startswith("`framework` `{word}` is not in")
    assert "(did you mean `vllm`?)" in sentence(_unknown("vlm", "vllm"))
