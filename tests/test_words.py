"""The project's words: what its documentation, comments and messages do not say, and what they say instead
(CONTRIBUTING.md, "Words")."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A pattern, and what is written instead.
WORDS = [
    (r"rooms?", "module (of src/), space, capacity"),
    (r"tell(s|ing)?|told|untold", "notify, send, return, report, log"),
    (r"judge[sd]?|judging|judgements?", "evaluate (a policy), validate (a schema), check"),
    (r"whoever|whomever|whom|whosoever", "the client, the caller, the subscriber, the writer"),
    (r"(no|some|every|any)body('s)?", "no caller, another user, any client; a missing owner is 'unreferenced'"),
    (r"stands?(?! for\b| in for\b|-in\b|-alone\b|ard)|stood|standing", "exists, is stored, is at, remains"),
    (r"beside|alongside", "next to, in the same commit, with"),
    (r"anew|afresh", "again, re-: rebuild, re-encrypt, re-read"),
    (r"meanwhile", "concurrently, since it was read"),
    (r"mend(s|ed|ing)?", "fix, correct"),
    (r"(?<!410 )gone(?! through\b)", "deleted, closed, absent"),
    (r"ask(s|ed|ing)?", "call, request; the caller"),
    (r"answer(s|ed|ing)?", "response (HTTP), result (call), reply (message); respond, return"),
    (r"lanes?", "priority, fairness key, queue"),
    (r"seats?", "permit, worker"),
    (r"tally|tallies|tallied", "count by a field"),
    (r"proven|prove[sd]?|proving", "verified (an address), measured (a figure), shown"),
    (r"projects?'s? shapes?|shapes? of (a |the |its |one )?projects?|the shape(?= |,|\.)", "project configuration"),
    (r"damag(e|es|ed|ing)", "corruption, corrupt"),
    (r"(gives?|given|gave|giving) up", "dead-lettered, abandoned, retries exhausted"),
    (r"(?<!it )tries", "attempts"),
    (r"pull(s|ed|ing)? the plug", "crash test (kill -9)"),
    (r"(is|are|was|were) none", "is not a valid X, does not exist"),
    (r"(?<!there )(is|are|was|were) no(?! longer\b| more\b| later\b| larger\b| other\b| less\b)", "is not a"),
    (r"look(s|ed|ing)? for", "query, scan, search"),
    (r"hand(s|ed|ing)? (over|on|back|out)(?!-)", "submit, pass, return, publish, assign"),
    (r"cuts? off|(is|was|were|are|been|be) cut", "interrupted, truncated, closed"),
    (r"wish(es)?", "option"),
    (r"(go|goes|went|going|come|comes|came|bring|brings|brought) along", "with, cascade, include"),
    (r"go(es)? on|went on|going on|gone on", "continue"),
    (r"(the )?contract( \d[\d.]*)?", "the API, the specified behaviour; docs/api.md"),
    (r"decisions \d[\d.]*", "the reason itself"),
]
PATTERN = re.compile(r"(?<![\w-])(?:" + "|".join(f"(?P<w{i}>{pattern})" for i, (pattern, _) in enumerate(WORDS)) + r")(?![\w-])", re.I)

TEST_SOURCE = re.compile(r"_(test|bench|fuzz)\.cc$|_fixture\.h$|/testing|/suite/|/faults/|^(bench|fuzz)/")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)


def _files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-c", "-o", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        name
        for name in listed.stdout.split()
        if (ROOT / name).is_file()
        and (name.endswith(".md") or (name.endswith((".h", ".cc")) and name.startswith(("src/", "worker/", "bench/", "fuzz/"))))
    ]


def _prose(name: str, text: str) -> list[tuple[int, str]]:
    """Line number and text of what is prose: all of a page but its code, of a source its comments and messages."""
    found = []
    if name.endswith(".md"):
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                found.append((number, re.sub(r"`[^`]*`", "`", line)))
        return found
    messages = not TEST_SOURCE.search(name)
    for part in COMMENT.finditer(text):
        # A message is a string of several words.
        if part[0].startswith("/") or (messages and part[0].count(" ") >= 2):
            first = text.count("\n", 0, part.start()) + 1
            found += [(first + at, re.sub(r"`[^`]*`", "`", line)) for at, line in enumerate(part[0].splitlines())]
    return found


def violations(names: list[str]) -> list[str]:
    wrong = []
    for name in names:
        text = (ROOT / name).read_text(errors="replace")
        for number, line in _prose(name, text):
            for match in PATTERN.finditer(line):
                wrong.append(f"{name}:{number}: {match[0]!r}: {WORDS[int(match.lastgroup[1:])][1]}: {line.strip()[:120]}")
    return wrong


def test_pages_comments_and_messages_use_the_words_of_the_field():
    found = violations(_files())
    assert not found, "\n".join(found[:50])


def test_a_word_is_found_where_it_is_prose():
    text = 'int tell = 1;  // tells `told` nobody\nlog("the room is full");\n'
    lines = _prose("src/base/example.cc", text)
    found = [match[0] for _, line in lines for match in PATTERN.finditer(line)]
    assert found == ["tells", "nobody", "room"]


if __name__ == "__main__":
    import sys

    some = [name for name in _files() if any(name.startswith(part) for part in sys.argv[1:] or [""])]
    print("\n".join(violations(some)))
