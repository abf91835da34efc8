import * as z from "zod"

/** A call within its turn, as `waiting.calls` names it: the number of its step and its place in the step. */
export const callParam = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,3})$/, "must be a step and a call, such as 0.1")
  .meta({ description: "The `call` of `waiting.calls`.", example: "0.0" })

export function numbersOfCall(text: string): { step: number; call: number } {
  const [step, call] = text.split(".").map(Number)
  return { step: step ?? 0, call: call ?? 0 }
}
