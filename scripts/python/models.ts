import { pythonName } from "../../src/reference/python-sample.ts"
import type { JsonSchema } from "../schema-types.ts"
import { docstring, plain, prose, usedIn, wrapped } from "./text.ts"
import type { Declared, PythonTypes } from "./types.ts"

export const GENERATED = "# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.\n"

const HEADER = (about: string) => `${GENERATED}"""${about}"""\n\nfrom __future__ import annotations\n\n`

/** By union: the class of a value whose literals no member has, because the service is newer than the client. */
const OTHERS: Record<string, string> = { FeedEvent: "UnknownEvent" }

/** The dataclasses of responses. */
export function modelsOf(types: PythonTypes): string {
  const answers = [...types.declared.values()].filter(({ side }) => side === "answer")
  const classes = sorted(answers).map((declared) => dataclassOf(types, declared))
  const unions = [...types.unions].map(
    ([name, { members, description }]) =>
      `${name} = Union[${[...members, ...(name in OTHERS ? [OTHERS[name]] : [])].join(", ")}]\n${description ? docstring([prose(description, "")], "") : ""}`,
  )
  return `${HEADER("The objects of responses.")}from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Union

from ._model import ApiObject
from ._unknown import ${Object.values(OTHERS).join(", ")}


${classes.join("\n\n")}

${unions.join("\n")}`
}

/** The typed dictionaries of objects in requests. */
export function paramsOf(types: PythonTypes): string {
  const requests = [...types.declared.values()].filter(({ side }) => side === "request")
  const classes = sorted(requests).map((declared) => dictionaryOf(types, declared))
  const text = classes.join("\n\n")
  const answers = [...types.declared.values()].filter(({ side }) => side === "answer").map(({ name }) => name)
  const models = usedIn(text, [...answers, ...types.unions.keys()])
  const from = (module: string, names: string[]) =>
    names.length > 0 ? `from ${module} import ${names.join(", ")}\n` : ""
  const used = (names: string[]) => usedIn(text, names)
  return `${HEADER("The objects of requests.")}${from("collections.abc", used(["Mapping", "Sequence"]))}${from("datetime", used(["datetime"]))}${from("decimal", used(["Decimal"]))}${from("typing", [...used(["Any", "Literal"]), "TypedDict"])}
${from(".models", models.sort())}

${text}`
}

const sorted = (list: Declared[]) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1))

function dataclassOf(types: PythonTypes, declared: Declared): string {
  const { name, schema } = declared
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
    const type = types.fieldType(declared, field, one)
    const isOptional = !required.has(field)
    const shown = isOptional && type !== "Any" && !type.endsWith("| None") ? `${type} | None` : type
    return `    ${pythonName(field)}: ${shown}${isOptional ? " = None" : ""}\n${described(one)}`
  })
  const about = schema.description ?? `The object ${name} of the API.`
  return `@dataclass(frozen=True, kw_only=True)\nclass ${name}(ApiObject):\n${docstring([prose(about, "    ")], "    ")}\n${fields.join("")}`
}

const described = ({ description }: JsonSchema) => (description ? docstring([prose(description, "    ")], "    ") : "")

function dictionaryOf(types: PythonTypes, declared: Declared): string {
  const { name, schema } = declared
  const required = new Set(schema.required)
  const fields = (isRequired: boolean) =>
    Object.entries(schema.properties ?? {})
      .filter(([field]) => required.has(field) === isRequired)
      .map(([field, one]) => {
        const comment = one.description
          ? wrapped(plain(one.description), "    # ").map((line) => `    # ${line}\n`)
          : []
        return `${comment.join("")}    ${field}: ${types.fieldType(declared, field, one)}\n`
      })
      .join("")
  const about = docstring([prose(schema.description ?? `The object ${name} of a request.`, "    ")], "    ")
  const [needed, optional] = [fields(true), fields(false)]
  if (!needed) return `class ${name}(TypedDict, total=False):\n${about}\n${optional}`
  if (!optional) return `class ${name}(TypedDict):\n${about}\n${needed}`
  return `class _${name}(TypedDict):\n${needed}\n\nclass ${name}(_${name}, total=False):\n${about}\n${optional}`
}
