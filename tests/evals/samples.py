"""Small benchmark files in the datasets' own shapes, with their faults, and where the real ones lie."""

import os
from pathlib import Path

import pytest

SHA = "ab" * 32
OTHER_SHA = "cd" * 32


def data_folder():
    """The folder with the real datasets; the test is skipped, with the reason, where there is none."""
    named = os.environ.get("WENLAN_DATA")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no datasets at {folder}: set WENLAN_DATA to the folder that holds them")
    return folder


def real_file(name):
    path = data_folder() / name
    if not path.is_file():
        pytest.skip(f"{path} isn't there: fetch it into the folder that WENLAN_DATA names")
    return path


def dialog(ref, text, speaker="Ann", **more):
    return {"speaker": speaker, "dia_id": ref, "text": text, **more}


def qa(question, category, evidence, **more):
    return {"question": question, "category": category, "evidence": evidence, **more}


def locomo_sample():
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Bo",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    dialog("D1:1", "Hi Bo!"),
                    dialog("D1:2", "Look at this", "Bo", img_url=["x"], blip_caption="a red bicycle"),
                    dialog("D1:3", "   "),
                    dialog("D1:4", "", "Bo", blip_caption="a lake"),
                ],
                "session_2_date_time": "12:05 am on 1 January, 2024",
                "session_2": [dialog("D2:1", "Happy new year"), dialog("D2:2", "I moved to Oslo", "Bo")],
                "session_10_date_time": "12:30 pm on 3 February, 2024",
                "session_10": [dialog("D10:1", "Bye")],
                "session_11_date_time": "9:00 am on 4 February, 2024",
            },
            "qa": [
                qa("Where did Bo move?", 4, ["D2:2"], answer="Oslo"),
                qa("What did both say?", 1, ["D1:1; D2:1", "D:1:2"], answer=3),
                qa("When?", 2, ["D02:01", "D2:1"], answer="2024"),
                qa("Why?", 3, [], answer="no idea"),
                qa("Which?", 4, ["D"], answer="none"),
                qa("Who?", 4, ["D9:9"], answer="none"),
                qa("What did Ann buy in Oslo?", 5, ["D2:2"], adversarial_answer="a boat"),
                qa("And Bo?", 5, ["D2:2"], answer="a boat", adversarial_answer="a boat"),
            ],
            "observation": {
                "session_1_observation": {"Ann": [["Ann greets Bo.", "D1:1"], ["Both.", ["D1:1", "D1:2"]]]},
                "session_2_observation": {
                    "Bo": [["Bo is in Oslo.", "D2:2"], ["Bo moved.", "D2:2"], ["Two.", "D2:1, D2:2"]]
                },
            },
        },
        {
            "sample_id": "conv-2",
            "conversation": {
                "session_1_date_time": "7:00 am on 2 March, 2022",
                "session_1": [dialog("D1:1", "Only me")],
            },
            "qa": [qa("Who is here?", 4, ["D1:1"], answer="me")],
            "observation": {},
        },
    ]


def turn(role, content, **label):
    return {"role": role, "content": content, **label}


def longmemeval_sample():
    answer_1 = [
        turn("user", "I bought a bike", has_answer=True),
        turn("assistant", "Nice bike", has_answer=False),
        turn("user", "It is red", has_answer=True),
        turn("assistant", "Red is the colour", has_answer=True),
    ]
    noise = [turn("user", "How do I cook rice?"), turn("assistant", "With water"), turn("user", "")]
    only_assistant = [turn("assistant", "Unasked advice")]
    spoken = [turn("user", "Tell me a joke", has_answer=False), turn("assistant", "A joke", has_answer=True)]
    return [
        {
            "question_id": "q1",
            "question_type": "multi-session",
            "question": "What colour is my bike?",
            "answer": 7,
            "question_date": "2023/05/30 (Tue) 10:18",
            "answer_session_ids": ["answer_1"],
            "haystack_session_ids": ["noise", "answer_1", "noise", "only"],
            "haystack_dates": [
                "2023/05/20 (Sat) 07:47",
                "2023/05/19 (Fri) 21:44",
                "2023/05/21 (Sun) 07:00",
                "2023/06/01 (Thu) 00:00",
            ],
            "haystack_sessions": [noise, answer_1, noise, only_assistant],
        },
        {
            "question_id": "q2_abs",
            "question_type": "single-session-user",
            "question": "What colour is my boat?",
            "answer": "You never said.",
            "question_date": "2023/05/30 (Tue) 10:18",
            "answer_session_ids": ["answer_2"],
            "haystack_session_ids": ["answer_2"],
            "haystack_dates": ["2023/05/20 (Sat) 07:47"],
            "haystack_sessions": [[turn("user", "I like boats", has_answer=False)]],
        },
        {
            "question_id": "q3",
            "question_type": "single-session-assistant",
            "question": "Which joke did you tell me?",
            "answer": "a joke",
            "question_date": "2023/05/30 (Tue) 10:18",
            "answer_session_ids": ["answer_3"],
            "haystack_session_ids": ["answer_3"],
            "haystack_dates": ["2023/05/20 (Sat) 07:47"],
            "haystack_sessions": [spoken],
        },
    ]
