"""Two small datasets on disk with a registry of their own, so that whole runs need neither the real ones nor a model."""

import json
from hashlib import sha256
from pathlib import Path

from tests.evals.samples import dialog, longmemeval_sample, qa, turn

TOPICS = (
    ("bicycle", "I bought a red bicycle in Oslo", "What did Ann buy in Oslo?"),
    ("garden", "The tomatoes in my garden died of frost", "Why did the tomatoes die?"),
    ("piano", "Bo plays the piano on Tuesdays", "When does Bo play the piano?"),
    ("whale", "We saw a whale near Bergen", "Where was the whale seen?"),
    ("soup", "Grandmother's soup needs dill", "What does the soup need?"),
    ("train", "The night train left at ten", "When did the night train leave?"),
)


def conversation(name):
    """One LoCoMo conversation: three sessions of six turns, a question a topic and one of category 5."""
    sessions: dict[str, object] = {}
    for number in (1, 2, 3):
        sessions[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        sessions[f"session_{number}"] = [
            dialog(f"D{number}:{at}", f"{text} ({name}, {number})" if number == 1 else f"More about the {topic}: {number}",
                   "Ann" if at % 2 else "Bo")
            for at, (topic, text, _) in enumerate(TOPICS, 1)
        ]  # fmt: skip
    questions = [qa(question, 4 - at % 2, [f"D1:{at}"], answer="x") for at, (_, _, question) in enumerate(TOPICS, 1)]
    questions.append(qa("What did Bo paint?", 5, ["D1:3"], adversarial_answer="a boat"))
    observation = {"session_1_observation": {"Ann": [[text, f"D1:{at}"] for at, (_, text, _) in enumerate(TOPICS, 1)]}}
    return {"sample_id": name, "conversation": sessions, "qa": questions, "observation": observation}


def small_locomo():
    """Two conversations, one whose name is of the dev split and one whose name is of the report split."""
    return [conversation("conv-26"), conversation("conv-44")]


def small_longmemeval():
    """The faulty sample, and haystacks whose evidence is one session among others."""
    entries = longmemeval_sample()
    for number, (topic, text, question) in enumerate(TOPICS):
        noise = [
            [turn("user", f"Tell me about the {other}"), turn("assistant", f"The {other} is large and grey")]
            for other, _, _ in TOPICS
            if other != topic
        ]
        evidence = [turn("user", text, has_answer=True), turn("assistant", f"How nice, a {topic}")]
        sessions = [*noise[:2], evidence, *noise[2:]]
        names = [f"noise_{at}" for at in range(len(sessions))]
        names[2] = f"answer_{topic}"
        entries.append({
            "question_id": f"t{number}", "question_type": "single-session-user", "question": question, "answer": text,
            "question_date": "2023/05/30 (Tue) 10:18", "answer_session_ids": [f"answer_{topic}"],
            "haystack_session_ids": names, "haystack_sessions": sessions,
            "haystack_dates": [f"2023/05/{at + 1:02} (Sat) 07:47" for at in range(len(sessions))],
        })  # fmt: skip
    return entries


def written(folder: Path):
    """Write both into `folder` with a registry; returns the registry's path."""
    rows = []
    for name, content in (("locomo_small", small_locomo()), ("longmemeval_small", small_longmemeval())):
        data = json.dumps(content).encode()
        (folder / f"{name}.json").write_bytes(data)
        rows.append({"name": name, "file": f"{name}.json", "sha256": sha256(data).hexdigest(), "url": None,
                     "licence": "CC0", "citation": "nobody", "use": "dev"})  # fmt: skip
    path = folder / "registry.json"
    path.write_text(json.dumps({"datasets": rows}), encoding="utf-8")
    return path
