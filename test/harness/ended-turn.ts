import type { TurnRow } from "../../src/turns/turn-row.ts"

/** The row of an ended turn, with the columns that streams of a dialect read. */
export const ENDED_TURN = {
  turn_id: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
  space: "spc_1",
  conversation_id: "conv_1",
  state: "done",
  truncated: false,
  result: "It left.",
  outputs: [],
  file_ids: [],
  metadata: {},
  created_at: "2026-01-15T09:30:00.000Z",
  started_at: "2026-01-15T09:30:00.412Z",
  finished_at: "2026-01-15T09:30:02.871Z",
  erased_at: null,
  texts_deleted_at: null,
  steps_deleted_at: null,
  traceparent: null,
  tracestate: null,
  response_format: null,
  waiting: null,
  has_output: false,
  stop: null,
  store: true,
  calls: null,
  error_code: null,
} as unknown as TurnRow
