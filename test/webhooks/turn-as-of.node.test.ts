import { expect, test } from "vitest"
import { type Turn, turnSchema } from "../../src/turns/schemas.ts"
import { KNOWN_WHEN_QUEUED, KNOWN_WHEN_RUNNING, turnAsOf } from "../../src/webhooks/turn-as-of.ts"

/** A turn with every kind of field. A field that is added later need not be here. */
const ENDED = {
  turn_id: "turn_1",
  space: "spc_1",
  end_user_ref: "customer-42",
  conversation: "conv_1",
  state: "done",
  waiting: null,
  waits_behind: null,
  waits_behind_until: null,
  status_reason: "client",
  text: "Where is my order?",
  result: "It left.",
  output: { left: true },
  finish: "stop",
  calls: [],
  truncated: true,
  warnings: [],
  error: { code: "MODEL_UNAVAILABLE", message: "The model did not answer.", details: null },
  files: ["file_1"],
  outputs: [{ file_id: "file_2", name: "a.txt", media_type: "text/plain", bytes: 5, sha256: "0".repeat(64) }],
  billed_cost_usd: 0.0041,
  refunded_usd: 0.0041,
  price: { name: "standard", version: 3 },
  end_user_charge_usd: 0.0062,
  held_usd: 0,
  max_cost_usd: 0.1,
  on_limit: "wait",
  max_output_tokens: 2000,
  temperature: null,
  reasoning: { effort: "low" },
  response_format: { type: "json_object" },
  stop: ["END"],
  store: false,
  usage: { model_calls: 1, tool_calls: 2, tokens_input: 3, tokens_cached: 4, tokens_output: 5, tokens_reasoning: 2 },
  model: "rehearsal/standard",
  metadata: { order: "A-1" },
  test: false,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: null,
  texts_deleted_at: "2027-01-15T09:30:02.871Z",
  steps_deleted_at: "2026-03-15T09:30:02.871Z",
  created_at: "2026-01-15T09:30:00.000Z",
  started_at: "2026-01-15T09:30:00.412Z",
  finished_at: "2026-01-15T09:30:02.871Z",
} as Turn
const QUEUED = { state: "queued", held_usd: 0.25 } as const
const RUNNING = { state: "running", held_usd: 0.25 } as const

test("A field that no list names is null only in the events of a turn that was open", () => {
  const withNewField = { ...ENDED, mood: "cheerful" }
  expect(turnAsOf(withNewField, KNOWN_WHEN_QUEUED, QUEUED)).toHaveProperty("mood", null)
  expect(turnAsOf(withNewField, KNOWN_WHEN_RUNNING, RUNNING)).toHaveProperty("mood", null)
})

test("An event of an open turn has every field of a turn and shows nothing of the turn's end", () => {
  const [queued, running] = [turnAsOf(ENDED, KNOWN_WHEN_QUEUED, QUEUED), turnAsOf(ENDED, KNOWN_WHEN_RUNNING, RUNNING)]
  expect(queued).toEqual({
    ...ENDED,
    state: "queued",
    status_reason: null,
    result: null,
    output: null,
    finish: null,
    calls: [],
    truncated: false,
    error: null,
    outputs: [],
    billed_cost_usd: 0,
    refunded_usd: 0,
    end_user_charge_usd: null,
    held_usd: 0.25,
    max_cost_usd: null,
    texts_deleted_at: null,
    steps_deleted_at: null,
    started_at: null,
    finished_at: null,
    usage: { model_calls: 0, tool_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0, tokens_reasoning: 0 },
  })
  expect(running).toEqual({ ...queued, state: "running", started_at: ENDED.started_at })
  for (const turn of [queued, running]) expect(turnSchema.partial().strict().parse(turn)).toEqual(turn)
})
