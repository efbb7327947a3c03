"""Reads and changes backups of one project by their format."""

import hashlib
import json
import pathlib
import subprocess

import bson


def read_records(backup: pathlib.Path) -> list[dict]:
    return bson.decode_all((backup / "project.bson").read_bytes())


def write_records(backup: pathlib.Path, records: list[dict]) -> None:
    """Replaces the records of the backup, with valid checksums."""
    content = b"".join(bson.encode(record) for record in records)
    (backup / "project.bson").write_bytes(content)
    manifest = json.loads((backup / "manifest.json").read_text())
    manifest["files"][0] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (backup / "manifest.json").write_text(json.dumps(manifest))
    sums = subprocess.run(["sha256sum", "manifest.json"], cwd=backup, capture_output=True, text=True).stdout
    (backup / "SHA256SUMS").write_text(sums)
