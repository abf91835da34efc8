import type * as z from "zod"
import { type Fault, TurnpikeError } from "../base/errors.ts"
import { MAX_FAULTS } from "./check-input.ts"
import { issuesOfUnions } from "./union-issues.ts"
import { REQUIRED } from "./wording.ts"

const MAX_NAME = 100

type Issue = z.core.$ZodIssue

/** VALIDATION_FAILED with the first fault as `param`, and the first 100 as `details` (/v1) and `faults` (/api). */
export function validationError(issues: readonly Issue[], location: Fault["location"]): TurnpikeError {
  const faults: Fault[] = []
  for (const issue of issuesOfUnions(issues)) {
    const path = issue.path.map((key) => (typeof key === "number" ? key : shortened(String(key))))
    const { message } = issue
    if (issue.code !== "unrecognized_keys") faults.push({ location, path, type: typeOf(issue), message })
    else {
      const unknown = issue.keys.slice(0, MAX_FAULTS - faults.length)
      faults.push(
        ...unknown.map((key) => ({ location, path: [...path, shortened(key)], type: "extra_forbidden", message })),
      )
    }
    if (faults.length >= MAX_FAULTS) break
  }
  const details = firstOfEach(faults.map(({ path, message }) => ({ param: path.join("."), message })))
  const first = details[0]
  const message = first ? `${first.param || `The ${location}`}: ${first.message}` : "The request is not valid."
  return new TurnpikeError("VALIDATION_FAILED", message, {
    ...(first?.param && { param: first.param }),
    details,
    faults,
  })
}

/** Keeps the first fault of each field: an empty text is also blank, and one fault is enough. */
function firstOfEach<T extends { param: string }>(details: T[]): T[] {
  return details.filter(({ param }, index) => details.findIndex((other) => other.param === param) === index)
}

/** Shortens the name of an unknown field, which the caller has chosen. */
const shortened = (name: string) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

/** The names of expected types that differ in Pydantic. */
const WRONG_TYPES: Record<string, string> = {
  number: "float_type",
  boolean: "bool_type",
  array: "list_type",
  object: "dict_type",
  record: "dict_type",
}

/** The fault's name in Pydantic 2, which clients made for FastAPI know. */
function typeOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.message === REQUIRED) return "missing"
      return WRONG_TYPES[issue.expected] ?? `${issue.expected}_type`
    case "too_small":
      return sizeFault(issue.origin, { text: "string_too_short", list: "too_short" }, issue.inclusive, "greater_than")
    case "too_big":
      return sizeFault(issue.origin, { text: "string_too_long", list: "too_long" }, issue.inclusive, "less_than")
    case "not_multiple_of":
      return "multiple_of"
    case "invalid_value":
      return issue.values.length === 1 ? "literal_error" : "enum"
    case "invalid_format":
      return issue.format === "datetime" ? "datetime_parsing" : "string_pattern_mismatch"
    default:
      return "value_error"
  }
}

function sizeFault(
  origin: string,
  { text, list }: { text: string; list: string },
  inclusive: boolean | undefined,
  number: string,
): string {
  if (origin === "string") return text
  if (origin !== "number" && origin !== "int" && origin !== "bigint") return list
  return inclusive === false ? number : `${number}_equal`
}
