import { pythonMethod } from "../../src/reference/python-sample.ts"
import { type Argument, type Arguments, argumentsOf, documented, signature } from "./arguments.ts"
import type { PythonOperation } from "./document.ts"
import { GENERATED } from "./models.ts"
import { BY_HAND, DERIVED, type MethodGroup, NAMESPACES } from "./namespaces.ts"
import { constantCase, docstring, entry, prose, usedIn } from "./text.ts"
import type { PythonTypes } from "./types.ts"

const RETRIES: Argument = {
  name: "max_retries",
  type: "int | None",
  fallback: "None",
  doc: "Overrides the client's ``max_retries``.",
}
const TIMEOUT: Argument = {
  name: "timeout",
  type: "float | None",
  fallback: "None",
  doc: "Overrides the client's ``timeout`` of one attempt, in seconds.",
}
const KEY: Argument = {
  name: "idempotency_key",
  type: "str | None",
  fallback: "None",
  doc: "One value per logical request, of 1–255 printable ASCII characters. Default: a new UUID for all attempts of the call.",
}

/** The classes of errors that depend on the request, by status. */
const ERRORS: Record<string, string> = {
  402: "InsufficientCreditsError",
  403: "PermissionDeniedError",
  404: "NotFoundError",
  409: "ConflictError",
  413: "ValidationError",
  416: "ValidationError",
  422: "ValidationError",
  429: "QuotaExceededError",
}

/** The source of the resources of the asynchronous client. */
export function resourcesOf(types: PythonTypes, operations: readonly PythonOperation[]): string {
  const classes = Object.entries(NAMESPACES).map(([path, namespace]) => {
    const own = operations.filter(({ method }) => method.split(".").slice(0, -1).join(".") === path)
    return classOf(types, path, namespace, own)
  })
  const lost = operations.filter(({ method }) => !(method.split(".").slice(0, -1).join(".") in NAMESPACES))
  if (lost.length > 0) throw new Error(`scripts/python/namespaces.ts has no namespace of ${lost[0]?.method}.`)
  const text = classes.join("\n\n")
  const code = text.replace(/"""[\s\S]*?"""/g, "")
  const used = (names: Iterable<string>) => usedIn(code, names).sort()
  const list = (module: string, names: string[]) =>
    names.length > 0 ? `from ${module} import (\n${names.map((name) => `    ${name},\n`).join("")})\n` : ""
  const declared = (side: string) => [...types.declared.values()].filter((one) => one.side === side)
  return `${GENERATED}"""The operations of the client."""

from __future__ import annotations

from collections.abc import ${used(["Awaitable", "Callable", "Mapping", "Sequence"]).join(", ")}
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

${list(
  ".._operations",
  used(
    operations.map(({ id }) => constantCase(id)).concat(DERIVED.map(({ constant }) => constant ?? "").filter(Boolean)),
  ),
)}from .._model import UNSET, Unset
from .._request import Input, given
from .._settings import Options
${list("..models", used([...declared("answer").map(({ name }) => name), ...types.unions.keys()]))}${list("..params", used(declared("request").map(({ name }) => name)))}from ..webhooks import WebhookVerifier
from .call_actions import AsyncCallActions
from .download import AsyncDownload
from .file_actions import AsyncFileActions, AsyncUsageActions
from .pager import AsyncPager
from .transport import AsyncTransport
from .turn_actions import AsyncTurnActions, AsyncTurnStream


${text}`
}

function classOf(types: PythonTypes, path: string, namespace: MethodGroup, operations: PythonOperation[]): string {
  const { name, about, base } = namespace
  const below = Object.entries(NAMESPACES).filter(([other]) => other !== "" && parentOf(other) === path)
  const attributes = below.map(([other, child]) => {
    const attribute = pythonMethod(other.split(".").at(-1) ?? "")
    return `        self.${attribute} = ${child.name}(transport)\n${docstring([child.about], "        ")}`
  })
  const methods = operations
    .filter(({ id }) => !BY_HAND.has(id))
    .flatMap((operation) => [
      methodOf(types, operation),
      ...DERIVED.filter(({ from }) => from === operation.id).map((derived) => {
        const given = argumentsOf(types, operation, derived.kept)
        return derived.write(given, { signature, documented, KEY, RETRIES, TIMEOUT, raises: raisesOf(operation) })
      }),
    ])
  return `class ${name}${base ? `(${base})` : ""}:
${docstring([about], "    ")}
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
${attributes.join("")}${methods.map((method) => `\n${method}`).join("")}`
}

const parentOf = (path: string) => path.split(".").slice(0, -1).join(".")

function methodOf(types: PythonTypes, operation: PythonOperation): string {
  const given = argumentsOf(types, operation)
  const isPost = operation.verb === "POST"
  const { item, answer, id, method } = operation
  const answered = types.typeOf(item ?? answer ?? {}, "answer", "Answer")
  const keywords = [...given.body, ...given.query, ...(isPost ? [KEY] : []), RETRIES, TIMEOUT]
  const name = pythonMethod(method.split(".").at(-1) ?? "")
  const returns = item ? `AsyncPager[${answered}]` : answered
  const options = isPost
    ? "Options(idempotency_key, max_retries, timeout)"
    : "Options(max_retries=max_retries, timeout=timeout)"
  const expression = `self._transport.${item ? "pages" : "call"}(${constantCase(id)}, sending, ${options})`
  return `    ${item ? "" : "async "}def ${name}(
        self,
${signature(given.path)}        *,
${signature(keywords)}    ) -> ${returns}:
${documentationOf(operation, given, keywords)}        sending = ${inputOf(given)}
        return ${item ? "" : "await "}${expression}
`
}

/** The source of an `Input`, with a line for each long part. */
function inputOf({ sent }: Arguments): string {
  const parts = Object.entries(sent)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${value}`)
  const line = `Input(${parts.join(", ")})`
  if (line.length <= 90) return line
  return `Input(\n${parts.map((part) => `            ${part.length <= 100 ? part : inLines(part)},\n`).join("")}        )`
}

const inLines = (part: string) =>
  part.replace("{", "{\n                ").replaceAll(", ", ",\n                ").replace(/\}$/, ",\n            }")

function documentationOf(operation: PythonOperation, given: Arguments, keywords: Argument[]): string {
  const { summary, description, example, item } = operation
  const told = description
    .split("\n\n")
    .filter((paragraph) => !paragraph.startsWith("If you repeat a request with the same Idempotency-Key"))
    .map((paragraph) => prose(paragraph.replace(/\n/g, " "), "        "))
    .filter((paragraph) => paragraph !== summary)
  const call = example.startsWith("print(") ? example.slice("print(".length, -1) : example
  const shown = item ? `async ${call}` : `await ${call}`
  return docstring(
    [
      `${summary}.`,
      ...told,
      ["Args:", ...documented([...given.path, ...keywords])].join("\n"),
      ...raisesOf(operation),
      ["Example:", ...shown.split("\n").map((line) => `    ${line}`)].join("\n"),
    ],
    "        ",
  )
}

/** The errors of an operation as a paragraph of a docstring. */
function raisesOf({ errors }: PythonOperation): string[] {
  const byClass = new Map<string, string[]>()
  for (const [status, codes] of errors) {
    const name = ERRORS[status]
    if (name) byClass.set(name, [...(byClass.get(name) ?? []), ...codes])
  }
  if (byClass.size === 0) return []
  return [
    ["Raises:", ...[...byClass].map(([name, codes]) => entry(name, `${codes.join(", ")}.`, "        "))].join("\n"),
  ]
}
