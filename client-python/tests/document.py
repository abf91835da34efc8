"""
The client against the OpenAPI document: every operation, its sample, and an example of each answer.
TURNPIKE_DOCUMENT is the path of the document, and TURNPIKE_ANSWERS that of an answer for each operation.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import unittest
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import turnpike_turns as turnpike

DOCUMENT = json.loads(Path(os.environ["TURNPIKE_DOCUMENT"]).read_text())
ANSWERS = json.loads(Path(os.environ["TURNPIKE_ANSWERS"]).read_text())
OPERATIONS: list[dict[str, Any]] = [
    {"verb": verb.upper(), "path": path, **described}
    for path, verbs in DOCUMENT["paths"].items()
    for verb, described in verbs.items()
    # The packages of other services call these.
    if described.get("security") != [] and "x-dialect" not in described
]


class EveryOperation(unittest.TestCase):
    """Each operation that needs a key."""

    def setUp(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answer: dict[str, Any] = {}

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.headers["accept"] == "*/*":
            return httpx.Response(200, content=b"Order A-1, paid.")
        # A list ends after its second page.
        is_last = len(self.requests) > 1 and "has_more" in self.answer
        return httpx.Response(200, json={**self.answer, "has_more": False} if is_last else self.answer)

    def client(self) -> turnpike.Turnpike:
        transport = httpx.MockTransport(self.respond)
        http = httpx.Client(transport=transport)
        return turnpike.Turnpike(api_key="turnpike_test_x", base_url="https://api.test", http_client=http)

    def run_sample(self, operation: dict[str, Any]) -> None:
        samples = {sample["lang"]: sample["source"] for sample in operation.get("x-codeSamples", [])}
        self.assertIn("Python", samples, "src/reference/client-methods.ts")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(samples["Python"], {"turnpike": self.client()})

    def test_has_a_method_whose_sample_sends_the_example(self) -> None:
        self.assertGreater(len(OPERATIONS), 50)
        for operation in OPERATIONS:
            with self.subTest(operation["operationId"]):
                self.requests.clear()
                self.answer = ANSWERS.get(operation["operationId"], {"body": {}})["body"]
                self.run_sample(operation)
                request = self.requests[0]
                parameters = operation.get("parameters", [])
                examples = {(one["in"], one["name"]): one.get("example") for one in parameters}

                def fill(match: re.Match[str], examples: dict[Any, Any] = examples) -> str:
                    return quote(str(examples["path", match[1]]), safe="")

                wanted = re.sub(r"\{(\w+)\}", fill, operation["path"])
                self.assertEqual((request.method, request.url.raw_path.decode().split("?")[0]), (operation["verb"], wanted))
                for (place, name), example in examples.items():
                    if place == "query" and example is not None:
                        self.assertEqual(request.url.params[name], str(example))
                body = operation.get("requestBody", {}).get("content", {}).get("application/json")
                if body:
                    sent = {name: one for name, one in body["example"].items() if ("path", name) not in examples}
                    self.assertEqual(json.loads(request.content), sent)
                self.assertEqual("idempotency-key" in request.headers, operation["verb"] == "POST")

    def test_reads_answers_without_a_loss_and_also_those_of_a_later_version(self) -> None:
        answering = [one for one in OPERATIONS if one["operationId"] in ANSWERS]
        self.assertGreater(len(answering), 50)
        for operation in answering:
            answer = ANSWERS[operation["operationId"]]["body"]
            later = {**answer, "added_later": {"by": "a new version", "at": [1, None]}}
            for body in (answer, later):
                with self.subTest(operation["operationId"]):
                    self.assertEqual(self.read(operation, body), body)

    def read(self, operation: dict[str, Any], body: dict[str, Any]) -> Any:
        """The answer as the client gives it, as JSON values again."""
        self.answer = body
        self.requests.clear()
        found: list[Any] = []
        source = next(one["source"] for one in operation["x-codeSamples"] if one["lang"] == "Python")
        expression = source.removeprefix("print(").removesuffix(")")
        if source.startswith("for "):
            expression = source.removeprefix("for item in ").split(":\n    print")[0] + ".page()"
        exec(f"found.append({expression})", {"turnpike": self.client(), "found": found})
        if isinstance(found[0], turnpike.Page):
            page = found[0]
            items = [item.to_dict() for item in page.data]
            return {"data": items, "has_more": page.has_more, "next_cursor": page.next_cursor, **page.extra}
        return found[0].to_dict()
