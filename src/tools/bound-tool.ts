import * as z from "zod"
import type { ToolOutput, ToolSpec } from "../agent/engine.ts"
import type { Approval } from "../agent-config/approval.ts"
import { asDoubles } from "../base/exact-json.ts"
import type { TraceHeaders } from "../base/trace-context.ts"

/** A file that a tool made. Its bytes are stored already. Its row is written with the call's result. */
export interface MadeFile {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
  object_key: string
  /** The order among the turn's files: greater for a later call. */
  place: number
  /** A picture that the turn pays for. It is kept even if the turn fails. */
  paid?: true
}

/** A picture that a call made, as a model call that the turn pays for. */
export interface PaidPicture {
  provider: string
  /** The provider account that served it; null in test turns. */
  account: string | null
  model: string
  price_version: number
  /** The price in credit micros, which was set aside before the call. */
  cost: number
  /** What the provider charges us for it. */
  provider_cost: number
  duration_sec: number
}

export interface ToolRun {
  output: ToolOutput
  /** Set if the result comes later; `output` has no meaning then. */
  later?: { offered: boolean }
  files?: MadeFile[]
  /** Set if the call made a picture. Then `files` has exactly one file. */
  picture?: PaidPicture
  /** The operator's container that ran the call, and the time that it took. */
  container?: { name: string; milliseconds: number }
}

export interface ToolCallContext {
  /** `{turn_id}.{step}.{call}`: the same for each repeat of this call (docs/architecture/turns.md). */
  key: string
  step: number
  call: number
  /** The sub-agent that makes the call; null: the space's own agent. */
  agent: string | null
  /** Tell the called server the call's span. Left out in a test of a tool, which has no turn. */
  trace?: TraceHeaders
  signal: AbortSignal
  /** Stores the token that the call's request will carry. A test of a tool has none, since no result can come later. */
  noteToken?(token: string): Promise<void>
  /**
   * Called before a request of the call that is sent late, after a redirect, or in a new
   * session. False after a cancel.
   */
  mayStart(): Promise<boolean>
}

/**
 * A tool of an agent, ready to be called. `run` throws only the signal's reason, or an error if the
 * turn no longer belongs to this worker.
 */
export interface BoundTool {
  spec: ToolSpec
  /** Which of its calls wait for a decision. Default: none. */
  approval?: Approval
  /** Set for a tool of the turn's caller, whose calls end the turn: the input that the caller gets, or its fault. */
  called?(input: unknown): { input: Record<string, unknown> } | { fault: string }
  run(input: unknown, context: ToolCallContext): Promise<ToolRun>
}

export const errorRun = (message: string): ToolRun => ({ output: { type: "error", value: message } })
/** The run of a call whose result comes later. `offered`: a worker of the owner takes it. */
export const laterRun = (offered: boolean): ToolRun => ({ output: { type: "text", value: "" }, later: { offered } })
export const jsonRun = (value: unknown): ToolRun => ({ output: { type: "text", value: JSON.stringify(value) } })

/** Makes a built-in tool. Its Zod schema describes the input to the model and validates it. */
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
        : errorRun(`The input is invalid: ${z.prettifyError(checked.error)}`)
    },
  }
}

/** Cached per schema, since the conversion takes longer than most of a turn. */
const known = new WeakMap<z.ZodType, Record<string, unknown>>()

function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const written = known.get(input)
  if (written) return written
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>
  known.set(input, schema)
  return schema
}
