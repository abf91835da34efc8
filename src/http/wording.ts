import * as z from "zod"

type RawIssue = z.core.$ZodRawIssue

/** The message of a field that must be there and is not. */
export const REQUIRED = "is required"

/** What is wrong with a value, to stand behind its name. A schema's own message goes before it. */
function word(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return REQUIRED
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}${butIs(issue)}`
    case "too_small":
      return size(issue.origin, issue.minimum, issue.inclusive === false ? "above" : "at least")
    case "too_big":
      return size(issue.origin, issue.maximum, issue.inclusive === false ? "below" : "at most")
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`
    case "invalid_format":
      return issue.format === "datetime" ? "must be a time, such as 2026-11-20T08:30:00Z" : undefined
    case "unrecognized_keys":
      return `There is no such field${only(issue)}.`
    default:
      return undefined
  }
}

const EXPECTED: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
}

/** The type that came instead: of a number that is none there is nothing to say. */
function butIs({ input, expected }: RawIssue & { expected?: string }): string {
  if (input === null) return ", not null"
  if (typeof input === "number" && expected !== "string") return ""
  return `, not ${EXPECTED[Array.isArray(input) ? "array" : typeof input] ?? "this"}`
}

function size(origin: string, bound: number | bigint, relation: string): string {
  if (origin !== "string" && origin !== "array") return `must be ${relation} ${bound}`
  const [one, many] = origin === "string" ? ["character", "characters"] : ["item", "items"]
  if (relation === "at least" && bound === 1) return "must not be empty"
  return `must have ${relation} ${bound} ${bound === 1 ? one : many}`
}

/** The fields that there are: whoever has misspelt one need not look it up. */
function only({ inst }: RawIssue): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
  return known.length > 0 ? `, only ${known.join(", ")}` : ""
}

// Instead of Zod's words, which are for programmers of TypeScript.
z.config({ localeError: word })
