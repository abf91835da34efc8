import { asDoubles } from "../base/exact-json.ts"
import { valueFault } from "./check-schema.ts"

/**
 * The fault in a call's input, written for the model; null if it is valid. With an invalid
 * schema, every input is a fault.
 */
export function inputFault(schema: Record<string, unknown>, input: unknown): string | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "The input must be a JSON object."
  try {
    const fault = valueFault(schema, asDoubles(input))
    return fault === null ? null : `The input does not fit the tool's schema: ${fault}`
  } catch (error) {
    return `The tool's input_schema cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
