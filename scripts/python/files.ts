import type { ClientErrorCode } from "../../client/src/errors.ts"
import { PYTHON_MODULE } from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"
import { ERROR_CODES, type ErrorCode } from "../../src/base/errors.ts"
import { pythonVersion } from "../../src/reference/served-packages.ts"
import type { JsonSchema } from "../schema-types.ts"
import { type PythonOperation, readDocument } from "./document.ts"
import { GENERATED, modelsOf, paramsOf } from "./models.ts"
import { resourcesOf } from "./resources.ts"
import { constantCase, usedIn } from "./text.ts"
import type { PythonTypes } from "./types.ts"

/** The folder of the Python package. */
const FOLDER = `client-python/src/${PYTHON_MODULE}`

/** Types of details that errors have, and of events, which no operation of the client returns. */
const ALSO = ["QuotaDetails", "CountState", "CreditsDetails", "CostLimitDetails", "CallerLimit", "Event"]

/** The generated files of the Python client that are committed, by path. */
export function pythonFiles(): Map<string, string> {
  const { schemas, types, operations } = readDocument()
  const operationsFile = operationsOf(types, operations)
  const resources = resourcesOf(types, operations)
  for (const name of ALSO) types.typeOf({ $ref: `#/components/schemas/${name}` }, "answer", name)
  const files = new Map([
    ["_version.py", `${GENERATED}"""The version of the package."""\n\nVERSION = "${pythonVersion(VERSION)}"\n`],
    ["_codes.py", codesOf(schemas)],
    ["models.py", modelsOf(types)],
    ["params.py", paramsOf(types)],
    ["_operations.py", operationsFile],
    ["_async/resources.py", resources],
  ])
  return new Map([...files].map(([name, text]) => [`${FOLDER}/${name}`, text]))
}

function operationsOf(types: PythonTypes, operations: readonly PythonOperation[]): string {
  const constants = operations.map(({ id, verb, path, answer, item, parameters }) => {
    const type = (item ?? answer) ? types.typeOf(item ?? answer ?? {}, "answer", "Answer") : "None"
    const kind = item ? "ListOperation" : "Operation"
    const once = parameters.some(({ name }) => name.toLowerCase() === "idempotency-key") ? ", once=True" : ""
    return `${constantCase(id)}: ${kind}[${type}] = ${kind}("${verb}", "${path}", ${type}${once})\n`
  })
  constants.push(`GET_USAGE_GROUPS: ListOperation[UsageGroup] = ListOperation("GET", "/v1/usage", UsageGroup)\n`)
  const text = constants.join("")
  const used = usedIn(text, [...types.declared.keys(), ...types.unions.keys()])
  return `${GENERATED}"""How each operation is called."""

from __future__ import annotations

from ._request import ListOperation, Operation
from .models import (
${used
  .sort()
  .map((name) => `    ${name},\n`)
  .join("")})

${text}`
}

/** Codes of errors without a valid response of the service, with what to do about them. */
const CLIENT_CODES: Record<ClientErrorCode, string> = {
  CONNECTION_FAILED: "Check base_url, and that this machine can reach the service.",
  TIMEOUT: "Send the request again with the same idempotency_key, or raise the time limit.",
  TOOL_REQUEST_REFUSED: "Respond with 401. Check the audience and the issuer, and that the raw body is verified.",
  UNEXPECTED_ANSWER:
    "Check base_url, since something other than this service may have responded. Or update the client.",
  WEBHOOK_VERIFICATION_FAILED: "Respond with 400. Check the signing secret, and that the raw body is verified.",
}

function codesOf(schemas: Record<string, JsonSchema>): string {
  const bodies = schemas.Error?.properties?.error as { discriminator: { mapping: object } }
  const codes = Object.keys(bodies.discriminator.mapping)
  const known = codes.map((code) => [code, ERROR_CODES[code as ErrorCode].cure] as const)
  const literal = (names: string[]) => `Literal[\n${names.map((name) => `    "${name}",\n`).join("")}]\n`
  const hints = [...known, ...Object.entries(CLIENT_CODES)].map(
    ([code, hint]) => `    "${code}": ${JSON.stringify(hint)},\n`,
  )
  return `${GENERATED}"""Codes of errors."""

from __future__ import annotations

from typing import Literal

ErrorCode = ${literal(codes)}"""Every error code of the service. \`\`/docs/errors\`\` lists cause and cure of each."""

ClientErrorCode = ${literal(Object.keys(CLIENT_CODES))}"""Codes of errors without a valid response of the service."""

HINTS = {
${hints.join("")}}
"""What to do about each error."""
`
}
