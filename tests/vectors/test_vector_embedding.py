"""Mode auto: the deployment's endpoint computes the vectors of texts after each write."""

import pytest

from support.client import PlatformUser, ok, refused
from support.commands import done, run
from support.embeddings import DIMENSIONS, Embeddings, vector_of
from support.vectors import Space

SOURCE = {"fields": ["title", "tags"]}
TEXTS = {
    "apples": "red apples and green apples from the orchard",
    "trains": "night trains run between cities",
    "music": "old music played on a quiet piano",
}


@pytest.fixture(scope="module")
def server_settings(embeddings):
    return embeddings.settings()


def automatic(project, **more) -> Space:
    return Space(project, name="meaning", dimensions=DIMENSIONS, mode="auto", source=SOURCE, **more)


@pytest.fixture
def texts(project, embeddings):
    embeddings.answer = lambda texts: None
    space = automatic(project)
    for id, text in TEXTS.items():
        space.put(id, title=text)
    space.embedded(len(TEXTS))
    return space


def test_a_text_finds_what_is_like_it(texts):
    hits = texts.hits(text="green apples")
    assert hits[0]["id"] == "apples" and len(hits) == 3
    assert hits[0]["_score"] > hits[1]["_score"]
    assert "meaning" not in hits[0]
    assert texts.hits(text="cities and trains", limit=1)[0]["id"] == "trains"


def test_what_the_endpoint_is_sent(texts, embeddings):
    request = embeddings.requests[-1]
    assert request["authorization"] == "Bearer key-of-the-test"
    assert request["model"] == "stand-in" and request["encoding_format"] == "float"
    assert set(TEXTS.values()) <= set(embeddings.texts())


def test_a_given_vector_is_refused(texts):
    vector = vector_of("x")
    for response in (
        texts.admin.post(texts.documents(), {"title": "x", "meaning": vector}),
        texts.admin.patch(texts.documents("apples"), {"meaning": vector}),
        texts.admin.put(texts.documents("apples"), {"title": "x", "meaning": vector}),
    ):
        error = refused(response, 400, "VALIDATION")
        assert [detail["path"] for detail in error["details"]] == ["/meaning"]
    error = refused(texts.search(vector=vector), 400, "VALIDATION")
    assert [detail["path"] for detail in error["details"]] == ["/vector"]
    refused(texts.search(text="x", vector=vector), 400, "VALIDATION")


@pytest.mark.parametrize("text", ["", 1, ["x"], "x" * 40_000])
def test_a_text_that_is_none(texts, text):
    error = refused(texts.search(text=text), 400, "VALIDATION")
    assert [detail["path"] for detail in error["details"]] == ["/text"]


def test_a_text_is_required(texts):
    refused(texts.search(), 400, "VALIDATION")


def test_a_changed_text_is_embedded_again_and_others_are_not(texts, embeddings):
    before = len(embeddings.texts())
    ok(texts.admin.patch(texts.documents("music"), {"stars": 5}))
    ok(texts.admin.patch(texts.documents("music"), {"title": "green apples in the orchard", "tags": ["red"]}))
    texts.until(lambda state: len(embeddings.texts()) > before and not state["embedding"]["waiting"])
    assert embeddings.texts()[before:] == ["green apples in the orchard\nred"]
    assert {hit["id"] for hit in texts.hits(text="green apples", limit=2)} == {"apples", "music"}


def test_a_document_that_goes_or_loses_its_text(texts):
    ok(texts.admin.delete(texts.documents("apples")), 204)
    ok(texts.admin.patch(texts.documents("music"), {"$unset": {"title": ""}}))
    texts.until(lambda state: state["vectors"] == 1)
    assert [hit["id"] for hit in texts.hits(text="green apples")] == ["trains"]
    texts.put("apples", title=TEXTS["apples"])
    texts.until(lambda state: state["vectors"] == 2)
    assert texts.hits(text="green apples")[0]["id"] == "apples"


def test_documents_from_before_the_config_are_embedded(project):
    space = automatic(project)
    ok(space.admin.delete(space.route), 204)
    for n in range(70):
        space.put(f"d{n}", title=f"number {n} of many")
    space.put("none")
    space.configure(space.field)
    state = space.embedded(71)
    assert state["embedding"]["documents"] == 71 and state["embedding"]["model"] == "stand-in"
    assert space.until(lambda state: state["vectors"] == 70)["state"] == "ready"
    assert space.hits(text="number 33 of many", limit=1)[0]["id"] == "d33"


def test_a_changed_source_embeds_all_again(texts, embeddings):
    before = len(embeddings.texts())
    source = {"fields": ["title"], "template": "Title: {{title}}!"}
    texts.configure({**texts.field, "source": source})
    texts.embedded(3)
    assert sorted(embeddings.texts()[before:]) == sorted(f"Title: {text}!" for text in TEXTS.values())
    texts.configure({**texts.field, "source": source, "metric": "dot"})
    texts.until(lambda state: state["state"] == "ready" and state["vectors"] == 3)
    assert len(embeddings.texts()) == before + 3


def test_many_writes_share_calls(project, embeddings):
    space = automatic(project)
    embeddings.gate.clear()
    calls = len(embeddings.calls)
    for n in range(40):
        space.put(f"d{n}", title=f"text {n}")
    embeddings.gate.set()
    space.embedded(40)
    assert len(embeddings.calls) - calls <= 20


def test_a_failing_endpoint_is_tried_again(project, embeddings):
    space = automatic(project)
    space.embedded(0)  # the scan of all documents has ended
    embeddings.answer = lambda texts: 500
    calls = len(embeddings.calls)
    space.put("a", title="patience")
    embeddings.wait(calls + 1)
    assert space.index()["embedding"]["waiting"] == 1
    refused(space.search(text="patience"), 502, "UPSTREAM_FAILED")
    embeddings.answer = lambda texts: None
    space.embedded(1)
    assert space.hits(text="patience")[0]["id"] == "a"


def test_one_text_that_is_refused_does_not_hold_up_others(project, embeddings):
    space = automatic(project)
    embeddings.gate.clear()
    embeddings.answer = lambda texts: 400 if any("poison" in text for text in texts) else None
    space.put("first", title="first")
    space.put("bad", title="poison")
    for n in range(5):
        space.put(f"d{n}", title=f"text {n}")
    embeddings.gate.set()
    space.until(lambda state: state["embedding"]["embedded"] == 6)
    embeddings.answer = lambda texts: None
    ok(space.admin.patch(space.documents("bad"), {"title": "cured"}))
    space.until(lambda state: state["embedding"]["embedded"] == 7)
    assert space.hits(text="cured", limit=1)[0]["id"] == "bad"


def test_a_late_answer_never_stands_over_a_newer_text(project, embeddings):
    space = automatic(project)
    embeddings.gate.clear()
    calls = len(embeddings.calls)
    space.put("a", title="the old words")
    embeddings.wait(calls + 1)
    ok(space.admin.patch(space.documents("a"), {"title": "entirely different sentence"}))
    embeddings.gate.set()
    space.embedded(1)
    (hit,) = space.hits(text="entirely different sentence")
    assert hit["_score"] == pytest.approx(1, abs=1e-4)


def test_denied_source_fields_cannot_be_searched_by(project, alice):
    space = automatic(project, policy={"read": {"deniedReadFields": ["tags"]}})
    space.put("a", title="x", tags=["y"])
    refused(space.search(alice, text="y"), 403, "FORBIDDEN")


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_waits_is_embedded_after_a_restart(make_server, how):
    endpoint = Embeddings()
    try:
        server = make_server(endpoint.settings()).start()
        project = PlatformUser(server).create_project()
        project.admin.token = project.api_key("admin").token
        space = automatic(project)
        space.put("early", title="early bird")
        space.embedded(1)
        endpoint.answer = lambda texts: 500
        for n in range(20):
            space.put(f"d{n}", title=f"late text {n}")
        getattr(server, how)()
        endpoint.answer = lambda texts: None
        server.start()
        space.embedded(21)
        space.until(lambda state: state["vectors"] == 21)
        assert space.hits(text="late text 7", limit=1)[0]["id"] == "d7"
        assert endpoint.texts().count("early bird") == 1
    finally:
        endpoint.close()


def test_another_model_embeds_all_again(make_server):
    endpoint = Embeddings()
    try:
        server = make_server(endpoint.settings()).start()
        project = PlatformUser(server).create_project()
        project.admin.token = project.api_key("admin").token
        space = automatic(project)
        space.put("a", title="some words")
        space.embedded(1)
        server.stop()
        server.settings["SERVICE_EMBEDDINGS_MODEL"] = "another"
        server.start()
        space.until(lambda state: state["embedding"]["model"] == "another" and state["embedding"]["embedded"] == 1)
        assert endpoint.requests[-1]["model"] == "another"
    finally:
        endpoint.close()


def test_wrong_dimensions_are_reported_and_nothing_is_kept(project, embeddings):
    space = Space(project, name="meaning", dimensions=DIMENSIONS + 1, mode="auto", source=SOURCE)
    calls = len(embeddings.calls)
    space.put("a", title="words")
    embeddings.wait(calls + 1)
    refused(space.search(text="words"), 502, "UPSTREAM_FAILED")
    assert space.index()["embedding"]["embedded"] == 0


def test_a_copy_of_the_project_embeds_for_itself(server, texts, embeddings, tmp_path):
    owner = PlatformUser(server)
    project = owner.create_project()
    embeddings.answer = lambda texts: None
    space = automatic(project)
    for id, text in TEXTS.items():
        space.put(id, title=text)
    space.embedded(len(TEXTS))
    done(run("backup", "--to", tmp_path / "backup", data=server.data))
    restored = ["--from", tmp_path / "backup", "--project", project.slug, "--as", "embeds-for-itself"]
    done(run("restore", *restored, data=server.data))
    copied = next(
        each for each in ok(owner.get("/control/projects"))["projects"] if each["slug"] == "embeds-for-itself"
    )
    original, space.admin = space.admin, owner.exchange(copied["id"])
    assert space.ids(text="green apples", limit=1) == ["apples"]
    space.put("more", title="a garden of blue plums")
    space.embedded(len(TEXTS) + 1)
    assert space.ids(text="blue plums", limit=1) == ["more"]
    space.admin = original
    space.put("again", title="a garden of yellow plums")
    space.embedded(len(TEXTS) + 1)
    assert space.ids(text="plums", limit=1) == ["again"]
