import * as z from "zod"
import type { ToolOutput, ToolSpec } from "../agent/engine.ts"
import { asDoubles } from "../base/exact-json.ts"

/** A file that a tool has made. Its bytes are stored; its row is written with the call's result. */
export interface MadeFile {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
  object_key: string
  /** Greater for a later call. */
  place: number
  /** A picture that the turn is billed: it is kept however the turn ends. */
  paid?: true
}

/** A picture that a call has made, as a model call that the turn is billed. */
export interface PaidPicture {
  provider: string
  /** The account that served it; null in test turns. */
  account: string | null
  model: string
  price_version: number
  /** Credit micros, set aside before. */
  cost: number
  duration_sec: number
}

export interface ToolRun {
  output: ToolOutput
  files?: MadeFile[]
  /** Beside its one file. */
  picture?: PaidPicture
  /** The operator's container that it ran in, and for how long. */
  container?: { name: string; milliseconds: number }
}

export interface ToolCallContext {
  /** `{turn_id}.{step}.{call}`: the same whenever this call is repeated (docs/architecture/turns.md). */
  key: string
  step: number
  call: number
  signal: AbortSignal
  /** Asked before a part of the call is sent late, or again after a redirect or in a new session: a cancel may have come. */
  mayStart(): Promise<boolean>
}

/** A tool of an agent, ready to be called. `run` throws only the signal's reason, or when the turn is no longer this worker's. */
export interface BoundTool {
  spec: ToolSpec
  run(input: unknown, context: ToolCallContext): Promise<ToolRun>
}

export const errorRun = (message: string): ToolRun => ({ output: { type: "error", value: message } })
export const jsonRun = (value: unknown): ToolRun => ({ output: { type: "text", value: JSON.stringify(value) } })

/** A built-in tool. The model is told its zod schema, and its input is checked against it. */
export function builtin<Input extends z.ZodType>(
  { name, description, input }: { name: string; description: string; input: Input },
  run: (input: z.output<Input>, context: ToolCallContext) => Promise<ToolRun>,
): BoundTool {
  return {
    spec: { name, description, inputSchema: jsonSchemaOf(input) },
    async run(given, context) {
      const checked = input.safeParse(asDoubles(given))
      return checked.success
        ? run(checked.data, context)
        : errorRun(`The input is wrong: ${z.prettifyError(checked.error)}`)
    },
  }
}

/** Made once for each schema, since that takes longer than most of a turn. */
const known = new WeakMap<z.ZodType, Record<string, unknown>>()

function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const written = known.get(input)
  if (written) return written
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>
  known.set(input, schema)
  return schema
}
