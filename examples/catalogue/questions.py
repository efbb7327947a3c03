"""Ten queries of a user of the catalogue; each result is compared with the catalogue's own text."""

import json
import re
import time
import urllib.parse


class Questions:
    def __init__(self, project, packages, maintainers, sections):
        self.project = project
        self.ada, self.grace = project.readers
        self.packages = packages
        self.maintainers = {m["id"]: m for m in maintainers}
        self.sections = sections
        self.wrong = 0

    def check(self, text, filter, holds, index, collection="packages"):
        """Lists by `filter` as a signed-in reader; the result must be exactly the packages that satisfy `holds`."""
        expected = sorted(p["id"] for p in self.packages if holds(p))
        begin = time.perf_counter()
        got = [d["id"] for d in self.ada.list_all(collection, filter)]
        milliseconds = (time.perf_counter() - begin) * 1000
        self.report(text, got == expected, len(expected), milliseconds, index, self.index_used(collection, filter))

    def index_used(self, collection, filter):
        """Returns the index that the server used, from an admin's `explain`."""
        query = urllib.parse.urlencode({"filter": json.dumps(filter), "limit": 1000})
        headers = {"x-service-explain": "1"}
        return self.project.admin.call("GET", f"/admin/collections/{collection}/documents?{query}", headers=headers)[
            "explain"
        ]["index"]

    def report(self, text, right, count, milliseconds, index=None, used=None):
        good = right and (index is None or index == used)
        self.wrong += not good
        how = f"by {used}" if used else ""
        wanted = "" if good or index == used else f" (expected {index})"
        print(f"  {'ok   ' if good else 'WRONG'} {text:<58} {count:>6} found {milliseconds:8.1f} ms  {how}{wanted}")

    def all(self):
        self.check(
            "Games that take more than 100 MiB",
            {"section": "games", "installedKiB": {"$gt": 102400}},
            lambda p: p["section"] == "games" and p["installedKiB"] > 102400,
            "section_1_installedKiB_-1",
        )
        self.check(
            "Packages that depend on libssl3",
            {"depends": "libssl3"},
            lambda p: "libssl3" in p["depends"],
            "depends_1",
        )
        self.check(
            "Names that begin with python3-d and end in -doc or django",
            {"name": {"$regex": "^python3-d.*(-doc|django)$"}},
            lambda p: re.search("^python3-d.*(-doc|django)$", p["name"]) is not None,
            "name_1",
        )
        self.check(
            "Required or important packages",
            {"priority": {"$in": ["required", "important"]}},
            lambda p: p["priority"] in ("required", "important"),
            "priority_1",
        )
        self.check(
            "Graphical games written for both SDL and OpenGL",
            {"tags": {"$all": ["interface::graphical", "uitoolkit::sdl"]}},
            lambda p: {"interface::graphical", "uitoolkit::sdl"} <= set(p["tags"]),
            "tags_1",
        )
        biggest = max(self.packages, key=lambda p: p["installedKiB"])["installedKiB"]
        self.check(
            "The giants: more than half the size of the largest",
            {"installedKiB": {"$gte": biggest // 2}},
            lambda p: p["installedKiB"] >= biggest // 2,
            "installedKiB_1",
        )
        one = self.packages[len(self.packages) // 2]
        self.check(
            f"The package called {one['name'][:32]}",
            {"name": one["name"]},
            lambda p: p["name"] == one["name"],
            "name_1",
        )
        self.check(
            "Small things without a home page, outside libraries",
            {
                "installedKiB": {"$lt": 12},
                "homepage": {"$exists": False},
                "section": {"$nin": ["libs", "libdevel", "oldlibs"]},
            },
            lambda p: p["installedKiB"] < 12
            and "homepage" not in p
            and p["section"] not in ("libs", "libdevel", "oldlibs"),
            "installedKiB_1",
        )
        self.maintainer_of(one)
        self.own_reviews(one)
        return self.wrong

    def maintainer_of(self, package):
        """`expand` replaces the maintainer's id by the document, if the maintainers' own policy allows it."""
        begin = time.perf_counter()
        found = self.ada.list("packages", {"maintainer": package["maintainer"]}, expand="maintainer,section")
        milliseconds = (time.perf_counter() - begin) * 1000
        expected = [p for p in self.packages if p["maintainer"] == package["maintainer"]]
        maintainer = self.maintainers[package["maintainer"]]
        right = (
            [d["id"] for d in found] == sorted(p["id"] for p in expected)[:1000]
            and all(d["maintainer"]["name"] == maintainer["name"] for d in found)
            and all(d["section"]["area"] for d in found)
        )
        used = self.index_used("packages", {"maintainer": package["maintainer"]})
        text = f"All of {maintainer['name'][:36]}, with address"
        self.report(text, right, len(found), milliseconds, "maintainer_1", used)

    def own_reviews(self, package):
        """Ada and Grace review the same packages; each sees only her own reviews, and cannot change the other's."""
        reviewed = [p["id"] for p in self.packages[:20]]
        mine = [self.ada.call("POST", "/reviews", {"package": i, "stars": 4})["document"]["id"] for i in reviewed]
        for i in reviewed:
            self.grace.call("POST", "/reviews", {"package": i, "stars": 2, "text": "not mine"})
        begin = time.perf_counter()
        found = self.ada.list("reviews", {"stars": {"$gte": 1}})
        milliseconds = (time.perf_counter() - begin) * 1000
        hidden = 0
        for review in mine[:3]:
            try:
                self.grace.call("PATCH", f"/reviews/{review}", {"stars": 1})
            except Exception as refused:
                hidden += getattr(refused, "status", 0) == 404
        right = sorted(d["id"] for d in found) == sorted(mine) and hidden == 3
        right = right and all(d["stars"] == 4 for d in found)
        owner = found[0]["ownerId"] if found else ""
        used = self.index_used("reviews", {"ownerId": owner})
        self.report("My own reviews only", right, len(found), milliseconds, "ownerId_1", used)
