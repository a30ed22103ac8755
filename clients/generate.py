"""Writes the types of both clients from the OpenAPI document of the program that REPRIEVE names.

With --check it writes nothing, and fails if a file is not as it would be written. `cargo xtask clients` prepares the
generators and runs it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "python/tests"))
from server import Server

#: What the clients send and receive; the shapes within these come along.
SHAPES = ["NewJob", "Act", "ActAtTime", "Reason", "Standing", "SubjectCancelled", "Job", "Problem"]
SHAPES += ["Claim", "Claimed", "Completion", "Report", "Failure", "Extension", "Snooze", "Reported"]

PYTHON = HERE / "python/src/reprieve_client/api.py"
TYPESCRIPT = HERE / "typescript/src/api.ts"


def document() -> dict[str, Any]:
    server = Server().start()
    try:
        with urllib.request.urlopen(f"{server.url}/api/v1/openapi.json", timeout=30) as answer:
            whole: dict[str, Any] = json.load(answer)
            return whole
    finally:
        server.close()


def part(whole: dict[str, Any]) -> dict[str, Any]:
    """The document of these shapes alone."""
    shapes = whole["components"]["schemas"]
    wanted: dict[str, Any] = {}
    waiting = list(SHAPES)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted[name] = plain(shapes[name])
            waiting += [found.rpartition("/")[2] for found in references(wanted[name])]
    return whole | {"paths": {}, "components": {"schemas": dict(sorted(wanted.items()))}}


def plain(shape: Any) -> Any:
    """The shape without what types cannot say, such as which members exclude each other: the server checks that."""
    if isinstance(shape, list):
        return [plain(each) for each in shape]
    if not isinstance(shape, dict):
        return shape
    kept = {key: each for key, each in shape.items() if key not in ("not", "anyOf", "example", "format")}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    members = {"properties": {name: plain(each) for name, each in kept.get("properties", {}).items()}}
    return {key: members.get(key) or plain(each) for key, each in kept.items()}


def references(shape: Any) -> list[str]:
    if isinstance(shape, list):
        return [found for each in shape for found in references(each)]
    if not isinstance(shape, dict):
        return []
    own = [shape["$ref"]] if "$ref" in shape else []
    return own + [found for each in shape.values() for found in references(each)]


def generate(folder: Path) -> dict[Path, str]:
    """What each file is to hold."""
    source = folder / "openapi.json"
    source.write_text(json.dumps(part(document())))
    python, typescript = folder / "api.py", folder / "api.ts"
    options = "--output-model-type typing.TypedDict --target-python-version 3.11 --enum-field-as-literal all"
    options += " --use-standard-collections --use-union-operator --use-schema-description --use-field-description"
    options += " --disable-timestamp --formatters builtin"
    tool = str(Path(sys.executable).with_name("datamodel-codegen"))
    header = '"""Generated from the OpenAPI document by `cargo xtask clients --generate`; not edited by hand."""'
    words = [
        "--input",
        str(source),
        "--input-file-type",
        "openapi",
        "--output",
        str(python),
        "--custom-file-header",
        header,
    ]
    subprocess.run([tool, *options.split(), *words], check=True)
    tool = str(HERE / "typescript/node_modules/.bin/openapi-typescript")
    words = ["--root-types", "--root-types-no-schema-prefix", "--output", str(typescript)]
    subprocess.run([tool, str(source), *words], check=True, stdout=subprocess.DEVNULL)
    return {PYTHON: python.read_text(), TYPESCRIPT: typescript.read_text()}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = generate(Path(folder))
    if sys.argv[1:] != ["--check"]:
        for path, text in files.items():
            path.write_text(text)
        return
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{path} is not what the API is now: `cargo xtask clients --generate` writes it")
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
