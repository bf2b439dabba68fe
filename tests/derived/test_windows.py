"""Windows of a long text: nothing that carries a token is left out, and each fits the model."""

from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from wenlan_lab.derived.bundled_model import model_folder, read_tokenizer
from wenlan_lab.derived.windows import readable, token_windows
from wenlan_lab.errors import InvalidRequest

TOKENIZER = read_tokenizer(model_folder())

words = st.text(
    alphabet=st.one_of(
        st.sampled_from("abcdefghij .,!?\n"),
        st.characters(codec="utf-8"),
        st.sampled_from("한漢字é\u0301\0\u200b\ud800"),
    ),
    max_size=40,
)
texts = st.lists(words, max_size=60).map(" ".join)


def tokens(text: str) -> list[tuple[int, int]]:
    """Where each token lies in the text."""
    return TOKENIZER.encode(readable(text), add_special_tokens=False).offsets


def places(text: str, windows: tuple[str, ...]) -> list[range]:
    """Where each window lies, as early as its place in the order allows."""
    found, start = [], 0
    for window in windows:
        at = text.index(window, start)
        found.append(range(at, at + len(window)))
        start = at + 1
    return found


@given(texts, st.sampled_from([(254, 32), (30, 7), (16, 4), (5, 0)]))
@example("a" * 90 + " " + "supercalifragilistic" * 4 + " x" * 30, (16, 4))
@example("漢字。" * 200, (254, 32))
@example("...!!!???" * 60, (254, 32))
def test_every_character_that_carries_a_token_is_in_a_window(text: str, sizes: tuple[int, int]):
    windows = token_windows(text, TOKENIZER, *sizes)
    if len(tokens(text)) <= sizes[0]:
        assert windows == (text,)
        return
    # Laying each window as early as it fits may miss its real place when the text repeats itself, so compare words too.
    covered = {place for spot in places(text, windows) for place in spot}
    lost = [text[start:end] for start, end in tokens(text) if not covered.issuperset(range(start, end))]
    together = "\n".join(windows)
    assert not [piece for piece in lost if piece not in together]


@given(texts, st.sampled_from([(254, 32), (120, 30)]))
def test_no_window_is_longer_than_the_model_reads(text: str, sizes: tuple[int, int]):
    for window in token_windows(text, TOKENIZER, *sizes):
        assert len(TOKENIZER.encode(readable(window))) <= sizes[0] + 2


def test_numbered_words_are_all_there_in_order_and_shared_at_the_seams():
    numbered = [f"n{n}" for n in range(3000)]
    windows = token_windows(" ".join(numbered), TOKENIZER)
    assert list(dict.fromkeys(word for window in windows for word in window.split())) == numbered
    for before, after in pairwise(windows):
        shared = len(TOKENIZER.encode(before[before.index(after.split()[0]) :], add_special_tokens=False))
        assert 32 <= shared <= 64


def test_a_cut_prefers_the_end_of_a_sentence():
    text = "The committee met again on Tuesday and said nothing new at all. " * 60
    windows = token_windows(text.strip(), TOKENIZER)
    assert all(window.endswith("at all.") for window in windows)
    assert all(window.startswith("The committee") for window in windows)


def test_a_cut_prefers_the_end_of_a_line_over_a_space():
    line = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    assert all(window.startswith("alpha") for window in token_windows("\n".join([line] * 60), TOKENIZER))


def test_words_are_not_cut_when_they_need_not_be():
    text = "antidisestablishmentarianism " * 200
    assert all(set(window.split()) == {"antidisestablishmentarianism"} for window in token_windows(text, TOKENIZER))
    for window in token_windows(text.replace(" ", "-"), TOKENIZER):  # no white space to cut at
        assert set(window.split("-")) <= {"antidisestablishmentarianism", ""}


def test_a_cut_prefers_white_space_over_a_hyphen():
    for window in token_windows("left-right " * 300, TOKENIZER):
        assert set(window.split()) == {"left-right"}


def test_a_word_that_no_model_reads_is_kept_in_one_piece():
    text = "before " + "x" * 100_000 + " after " + "word " * 400
    assert any("x" * 100_000 in window for window in token_windows(text, TOKENIZER))


def test_windows_are_slices_of_the_text_as_given():
    text = "lone \ud800 and NUL \0 and É and tabs\t\t " * 100
    windows = token_windows(text, TOKENIZER)
    assert len(windows) > 1
    assert all(window in text for window in windows)


def test_a_text_of_one_unbroken_word_is_cut_all_the_same():
    """A tokeniser without words, as some are: every letter is a token, there is nothing to prefer."""
    letters = Tokenizer(models.BPE(vocab={chr(at): at - 97 for at in range(97, 123)}, merges=[]))
    text = "".join(chr(97 + (at * 7) % 26) for at in range(1000))
    windows = token_windows(text, letters, 100, 20)
    assert max(map(len, windows)) == 100
    assert windows[0] == text[:100]
    assert windows[1].startswith(text[80:90])
    assert text.endswith(windows[-1])


def test_a_window_that_reads_longer_by_itself_is_cut_once_more():
    """A tokeniser that puts a token of its own before whatever it reads."""
    growing = Tokenizer(models.WordLevel(vocab={"[UNK]": 0}, unk_token="[UNK]"))
    growing.normalizer = normalizers.Prepend("start ")
    growing.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    text = " ".join(f"n{at}" for at in range(400))
    windows = token_windows(text, growing, 40, 8)
    assert max(len(growing.encode(window)) for window in windows) <= 40
    assert list(dict.fromkeys(word for window in windows for word in window.split())) == text.split()


@pytest.mark.parametrize(("limit", "overlap"), [(0, 0), (10, 3), (254, 64), (254, -1)])
def test_sizes_that_can_not_work_are_refused(limit: int, overlap: int):
    with pytest.raises(InvalidRequest, match="limit must be"):
        token_windows("text", TOKENIZER, limit, overlap)


def test_reading_keeps_length():
    text = "a\ud800b\udfff\0漢"
    assert len(readable(text)) == len(text)
    readable(text).encode("utf-8")
