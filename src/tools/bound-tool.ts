import type { ToolOutput, ToolSpec } from "../agent/engine.ts"

/** A file that a tool has made: its bytes are stored, its row is written with the call's result. */
export interface MadeFile {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
  object_key: string
  /** Greater for a later call. */
  place: number
}

export interface ToolRun {
  output: ToolOutput
  files?: MadeFile[]
}

export interface ToolCallPlace {
  /** `{turn_id}.{step}.{call}`: the same whenever this call is repeated (design section 5). */
  key: string
  step: number
  call: number
  signal: AbortSignal
  /** Asked before anything of the call is sent again, behind a redirect or in a new session: a cancel may have come. */
  mayStart(): Promise<boolean>
}

/** A tool that an agent has, ready to be called. `run` throws only for the signal, or when the turn is not this worker's any more. */
export interface BoundTool {
  spec: ToolSpec
  run(input: unknown, place: ToolCallPlace): Promise<ToolRun>
}

export const errorRun = (message: string): ToolRun => ({ output: { type: "error", value: message } })
export const jsonRun = (value: unknown): ToolRun => ({ output: { type: "text", value: JSON.stringify(value) } })
