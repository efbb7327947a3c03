"""The package catalogue of a Debian machine (`apt-cache dumpavail`) as documents: packages, maintainers, sections."""

import hashlib
import re
import subprocess

ADDRESS = re.compile(r"^(?P<name>.*?)\s*<(?P<email>[^>]*)>$")


def dump():
    """Returns the catalogue's text."""
    return subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True).stdout.decode("utf-8", "replace")


def stanzas(text):
    """Yields each record as {field: value}, folded lines joined."""
    for block in text.split("\n\n"):
        record, field = {}, None
        for line in block.split("\n"):
            if line[:1] in (" ", "\t") and field:
                record[field] += " " + line.strip()
            elif ":" in line:
                field, _, value = line.partition(":")
                record[field] = value.strip()
        if "Package" in record:
            yield record


def document_id(name):
    """Returns an id for a package name. Ids allow no `+`, `.` and `/`; a name over 64 characters becomes a digest."""
    escaped = name.replace("+", "_p").replace(".", "_d").replace("/", "_s")
    return escaped if len(escaped) <= 64 else hashlib.sha256(name.encode()).hexdigest()[:40]


def names_in(relation):
    """Returns the distinct names of a relation such as `libc6 (>= 2.34), debconf | debconf-2.0`, in order."""
    found = []
    for part in re.split(r"[,|]", relation):
        name = part.strip().split(" ")[0].split(":")[0]
        if name and name not in found:
            found.append(name)
    return found


def maintainer_of(text):
    match = ADDRESS.match(text)
    name, email = (match["name"].strip('" '), match["email"]) if match else (text, "")
    return {"id": hashlib.sha256(text.encode()).hexdigest()[:20], "name": name, "email": email}


def section_of(text):
    area, _, name = text.rpartition("/")
    return {"id": document_id(text), "name": name, "area": area or "main"}


def package_of(record):
    tags = [tag.strip() for tag in record.get("Tag", "").split(",") if tag.strip()]
    package = {
        "id": document_id(record["Package"]),
        "name": record["Package"],
        "version": record["Version"],
        "architecture": record.get("Architecture", ""),
        "section": section_of(record.get("Section", "unknown"))["id"],
        "maintainer": maintainer_of(record.get("Maintainer", "unknown"))["id"],
        "priority": record.get("Priority", "optional"),
        "installedKiB": int(record.get("Installed-Size", 0)),
        "downloadBytes": int(record.get("Size", 0)),
        "depends": names_in(record.get("Depends", "") + "," + record.get("Pre-Depends", "")),
        "tags": tags,
        "summary": record.get("Description", ""),
    }
    if record.get("Homepage"):
        package["homepage"] = record["Homepage"]
    if record.get("Essential") == "yes":
        package["essential"] = True
    return package


def catalogue(limit=None):
    """Returns (packages, maintainers, sections) as lists of documents. `limit` bounds the packages, evenly spread."""
    records = list(stanzas(dump()))
    if limit and len(records) > limit:
        records = records[:: len(records) // limit][:limit]
    packages = [package_of(record) for record in records]
    maintainers = {m["id"]: m for m in (maintainer_of(r.get("Maintainer", "unknown")) for r in records)}
    sections = {s["id"]: s for s in (section_of(r.get("Section", "unknown")) for r in records)}
    return packages, list(maintainers.values()), list(sections.values())
