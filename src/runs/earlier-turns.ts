import type { Called } from "../turns/caller-tools.ts"
import type { TurnMessage } from "../turns/messages.ts"
import type { StepRow } from "../turns/step-row.ts"

/** An earlier turn of the conversation. `continues`: it gave the results of the turn before. */
export interface EarlierTurn {
  text: string
  messages: TurnMessage[] | null
  result: string
  ended_at: string
  position: number
  calls: Called[] | null
  continues: boolean
}

/** An earlier turn of an exchange. Its steps are those of the space's own agent; none: they are deleted. */
export interface Link {
  turn_id: string
  text: string
  messages: TurnMessage[] | null
  result: string
  calls: Called[]
  file_ids: string[]
  metadata: Record<string, string>
  started_at: string
  steps: StepRow[]
}
