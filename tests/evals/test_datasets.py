"""The registry, the digest that decides, and a download that leaves nothing half done."""

import http.server
import json
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from tests.evals.samples import data_folder, locomo_sample, longmemeval_sample, real_file
from wenlan_lab import InvalidRequest, NotFound, ProviderUnavailable
from wenlan_lab.evals import datasets, locomo
from wenlan_lab.evals.datasets import Dataset, dataset, download, find, load, quirks

CONTENT = json.dumps(locomo_sample()).encode()
DIGEST = sha256(CONTENT).hexdigest()


def registered(url=None, digest=DIGEST, name="locomo10", file="locomo10.json"):
    return {name: Dataset(name, file, digest, url, "CC BY-NC 4.0", "Maharana et al. 2024", "report")}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "locomo10.json").write_bytes(CONTENT)
    return tmp_path


@pytest.fixture
def server(tmp_path):
    """A web server on this machine; `/dropped` promises more than it sends."""
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "locomo10.json").write_bytes(CONTENT)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path / "served"))

        def do_GET(self):
            if self.path != "/dropped":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[:100])
            return None

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_file_with_the_registered_digest_is_found(folder):
    found = find("locomo10", folder, registered())
    assert found.path == folder / "locomo10.json"
    assert found.dataset.family == "locomo"


def test_a_wrong_digest_is_refused_and_both_are_named(folder):
    with pytest.raises(InvalidRequest) as refused:
        find("locomo10", folder, registered(digest="0" * 64))
    assert DIGEST in str(refused.value)
    assert "0" * 64 in str(refused.value)
    with pytest.raises(InvalidRequest, match=DIGEST):
        load("locomo10", folder, known=registered(digest="0" * 64))


def test_one_changed_byte_is_a_wrong_digest(folder):
    (folder / "locomo10.json").write_bytes(CONTENT.replace(b"Oslo", b"Rome"))
    with pytest.raises(InvalidRequest, match="isn't the registered locomo10"):
        load("locomo10", folder, known=registered())


def test_without_a_folder_the_setting_is_named(folder):
    with pytest.raises(InvalidRequest, match="WENLAN_DATA"):
        find("locomo10", None, registered())


def test_a_folder_without_the_file_is_named(tmp_path):
    with pytest.raises(NotFound, match=r"doesn't hold locomo10\.json"):
        find("locomo10", tmp_path, registered())


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(InvalidRequest, match="did you mean locomo10"):
        dataset("locomo", registered())
    with pytest.raises(InvalidRequest, match="did you mean locomo10"):
        dataset("zzz", registered())


def test_loading_parses_under_the_protocol_and_carries_the_digest(folder):
    benchmark = load("locomo10", folder, "wenlan", registered())
    assert (benchmark.protocol, benchmark.sha256, benchmark.dataset) == ("wenlan", DIGEST, "locomo10")
    assert benchmark.cases[0].id == f"conv-1@{DIGEST[:12]}"


def test_a_longmemeval_file_is_parsed_as_one(tmp_path):
    content = json.dumps(longmemeval_sample()).encode()
    (tmp_path / "longmemeval_x.json").write_bytes(content)
    known = registered(digest=sha256(content).hexdigest(), name="longmemeval_x", file="longmemeval_x.json")
    assert load("longmemeval_x", tmp_path, "official-session", known).counts["cases"] == 3


def test_published_rows_are_no_benchmark(folder):
    known = registered(name="wenlan_rows")
    with pytest.raises(InvalidRequest, match="published rows"):
        load("wenlan_rows", folder, known=known)


def test_the_quirk_report_counts_and_shows_itself(folder):
    found = quirks("locomo10", folder, registered())
    assert found["empty turns"] == 1
    assert "<table>" in found._repr_html_()
    assert "Quirks of locomo10" in repr(found)


def test_a_download_arrives_whole(tmp_path, server):
    found = download("locomo10", tmp_path / "data", progress=False, known=registered(f"{server}/locomo10.json"))
    assert found.path.read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["locomo10.json"]


def test_a_download_shows_its_progress_on_standard_error_alone(tmp_path, server, capsys):
    download("locomo10", tmp_path / "data", known=registered(f"{server}/locomo10.json"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "locomo10.json" in err


def test_what_is_there_already_is_not_fetched_again(folder):
    found = download("locomo10", folder, progress=False, known=registered("http://127.0.0.1:9/none"))
    assert found.path == folder / "locomo10.json"


def test_another_file_in_its_place_is_never_overwritten(folder, server):
    (folder / "locomo10.json").write_bytes(b"mine")
    with pytest.raises(InvalidRequest, match="isn't the registered"):
        download("locomo10", folder, progress=False, known=registered(f"{server}/locomo10.json"))
    assert (folder / "locomo10.json").read_bytes() == b"mine"


def test_a_download_with_a_wrong_digest_leaves_nothing_behind(tmp_path, server):
    known = registered(f"{server}/locomo10.json", digest="1" * 64)
    with pytest.raises(InvalidRequest, match="1" * 64):
        download("locomo10", tmp_path / "data", progress=False, known=known)
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("path", ["/dropped", "/absent"])
def test_a_broken_transfer_leaves_nothing_behind(tmp_path, server, path):
    with pytest.raises((ProviderUnavailable, InvalidRequest)):
        download("locomo10", tmp_path / "data", progress=False, known=registered(server + path))
    assert list((tmp_path / "data").iterdir()) == []


def test_offline_says_what_to_do_instead(tmp_path):
    known = registered("http://127.0.0.1:9/locomo10.json")
    with pytest.raises(ProviderUnavailable, match="WENLAN_DATA"):
        download("locomo10", tmp_path / "data", progress=False, known=known)
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("url", [None, "file:///etc/hostname", "ftp://example.org/x"])
def test_only_public_web_addresses_are_fetched(tmp_path, url):
    with pytest.raises(InvalidRequest, match="no public address"):
        download("locomo10", tmp_path / "data", progress=False, known=registered(url))


def test_a_registry_may_be_a_list_or_an_object(tmp_path):
    row = {"name": "locomo10", "file": "a.json", "sha256": DIGEST, "url": None, "licence": "MIT", "citation": "x"}
    for number, content in enumerate(([row], {"datasets": [row]})):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        assert datasets.registry(path)["locomo10"].file == "a.json"


def test_a_missing_registry_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(NotFound, match="registry"):
        datasets.registry(tmp_path / "none.json")


def parts(tmp_path, ids, digest=None):
    """A registry of a whole LongMemEval-S, which stands in `tmp_path`, and of a part of it, which doesn't."""
    entries = [{**entry, "question": "Où ?"} for entry in longmemeval_sample()]
    whole = json.dumps(entries).encode()
    (tmp_path / "whole.json").write_bytes(whole)
    part = json.dumps([entries[2], entries[0]], ensure_ascii=False).encode("utf-8")
    known = registered(digest=sha256(whole).hexdigest(), name="longmemeval_s", file="whole.json")
    row = Dataset("longmemeval_s_2", "two.json", digest or sha256(part).hexdigest(), None, "MIT", "x", "dev", ids)
    return {**known, row.name: row}


def test_a_part_is_cut_out_of_the_whole_in_the_registered_order(tmp_path):
    known = parts(tmp_path, ("q3", "q1"))
    found = download("longmemeval_s_2", tmp_path, progress=False, known=known)
    cases = load("longmemeval_s_2", tmp_path, known=known).cases
    assert [case.questions[0].id for case in cases] == ["q3", "q1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["two.json", "whole.json"]
    assert found.path == tmp_path / "two.json"


@pytest.mark.parametrize("ids", [("q1", "q3"), ("q3",), ("q3", "q1", "q2_abs"), ("nobody",)])
def test_a_part_that_is_not_the_registered_one_is_not_written(tmp_path, ids):
    with pytest.raises(InvalidRequest, match="isn't the registered longmemeval_s_2"):
        download("longmemeval_s_2", tmp_path, progress=False, known=parts(tmp_path, ids))
    assert [path.name for path in tmp_path.iterdir()] == ["whole.json"]


def test_a_part_without_the_whole_says_which_file_is_missing(tmp_path):
    known = parts(tmp_path, ("q3", "q1"))
    (tmp_path / "whole.json").unlink()
    with pytest.raises(NotFound, match=r"whole\.json"):
        download("longmemeval_s_2", tmp_path, progress=False, known=known)


def test_the_shipped_registry_says_the_same_dev_conversations_as_the_parser():
    shipped = Path(datasets.__file__).parents[2] / "data" / "registry.json"
    row = next(row for row in json.loads(shipped.read_text(encoding="utf-8"))["datasets"] if row["name"] == "locomo10")
    assert tuple(row["splits"]["dev"]) == locomo.DEV_CONVERSATIONS


def test_the_shipped_parts_are_the_questions_that_their_files_hold():
    for name in ("longmemeval_s_dev64", "longmemeval_s_published84"):
        row = datasets.registry()[name]
        entries = json.loads(real_file(row.file).read_bytes())
        assert tuple(entry["question_id"] for entry in entries) == row.question_ids
        assert sha256(json.dumps(entries, ensure_ascii=False).encode("utf-8")).hexdigest() == row.sha256


def test_the_shipped_registry_knows_every_file_that_is_here():
    known = datasets.registry()
    here = {path.name for path in data_folder().iterdir() if path.suffix in (".json", ".jsonl")}
    assert {row.file for row in known.values()} >= {"locomo10.json", "longmemeval_oracle.json"}
    for row in known.values():
        assert len(row.sha256) == 64
        assert row.licence and row.citation
        if row.file in here:
            assert find(row.name, data_folder()).dataset == row
