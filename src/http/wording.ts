import * as z from "zod"

type RawIssue = z.core.$ZodRawIssue

/** The message for a missing field. */
export const REQUIRED = "is required"

/** Describes a fault as a text that follows the field's name. A schema's own message takes precedence. */
function word(issue: RawIssue): string {
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
      return issue.format === "datetime" ? "must be a time, such as 2026-11-20T08:30:00Z" : "is not valid"
    case "invalid_key":
      return `its name ${issue.issues[0]?.message ?? "is not valid"}`
    case "invalid_union":
      return tag(issue)
    case "unrecognized_keys":
      return `There is no such field${only(issue)}.`
    default:
      return "is not valid"
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

/** The allowed values of a union's tag. */
function tag({ discriminator, inst, input }: RawIssue & { discriminator?: string | undefined }): string {
  const tags = (inst as z.core.$ZodDiscriminatedUnion | undefined)?._zod?.propValues?.[discriminator ?? ""]
  if (discriminator === undefined || !tags) return "is not valid"
  if ((input as Record<string, unknown> | undefined)?.[discriminator] === undefined) return REQUIRED
  return `must be one of ${[...tags].map((value) => JSON.stringify(value)).join(", ")}`
}

/** The type of the given value; empty for NaN. */
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

/** Lists the known fields, for callers who have misspelt one. */
function only({ inst }: RawIssue): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
  return known.length > 0 ? `, only ${known.join(", ")}` : ""
}

// Replaces Zod's messages, which are written for TypeScript programmers.
z.config({ localeError: word })
