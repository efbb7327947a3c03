#!/usr/bin/env python3
"""Loads this machine's package catalogue into a running Manybase and runs ten queries.

    examples/catalogue/catalogue.py [--url http://localhost:8090] [--limit N] [--connections 32]

Exit code 0 if everything was loaded and every result matches the catalogue's own text.
"""

import argparse
import sys

from load import Project
from packages import catalogue
from questions import Questions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://localhost:8090")
    parser.add_argument("--limit", type=int, help="load only this many packages, spread over the catalogue")
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()

    packages, maintainers, sections = catalogue(options.limit)
    print(f"The catalogue: {len(packages)} packages, {len(maintainers)} maintainers, {len(sections)} sections")
    project = Project(options.url)
    print(f"Loading into project {project.id}")
    for collection, documents in (("sections", sections), ("maintainers", maintainers), ("packages", packages)):
        project.load(collection, documents, options.connections)
    for collection, documents in (("sections", sections), ("maintainers", maintainers), ("packages", packages)):
        total = project.admin.call("GET", f"/admin/collections/{collection}/documents?limit=0")["total"]
        if total != len(documents):
            print(f"{collection}: {total} documents, {len(documents)} expected")
            return 1
    wrong = Questions(project, packages, maintainers, sections).all()
    print("all results are right" if wrong == 0 else f"{wrong} results are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
