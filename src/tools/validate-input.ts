import { type Schema, Validator } from "@cfworker/json-schema"

/** What is wrong with a call's input, for the model; null when it fits. A schema that is itself wrong fits nothing. */
export function inputFault(schema: Record<string, unknown>, input: unknown): string | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "The input must be a JSON object."
  try {
    const { valid, errors } = new Validator(schema as Schema, "2020-12", false).validate(input)
    if (valid) return null
    // The last ones are the innermost, and say most.
    const faults = errors
      .slice(-5)
      .map(({ instanceLocation, error }) => `${instanceLocation.slice(1) || "/"}: ${error}`)
    return `The input does not fit the tool's schema: ${faults.join(" ")}`
  } catch (error) {
    return `The tool's input_schema cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
