import { asDoubles } from "../base/exact-json.ts"
import type { BoundTool } from "./bound-tool.ts"
import { valueFault } from "./check-schema.ts"
import { inputFault } from "./input-fault.ts"

/**
 * Whether a call of a tool waits for a decision. An input that the tool's schema forbids needs none: it is a `fault`,
 * and the call must not be made. A condition that cannot be checked asks a person.
 */
export function approvalOf({ approval = "never", spec }: BoundTool, input: unknown): { asks: boolean; fault?: string } {
  if (approval === "never") return { asks: false }
  const fault = inputFault(spec.inputSchema, input)
  if (fault !== null) return { asks: false, fault }
  return { asks: approval === "always" || fits(approval.when, input) }
}

function fits(schema: Record<string, unknown>, input: unknown): boolean {
  try {
    return valueFault(schema, asDoubles(input)) === null
  } catch {
    return true
  }
}
