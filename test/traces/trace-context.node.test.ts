import { expect, test } from "vitest"
import { newId } from "../../src/base/ids.ts"
import { parseTrace, spanIdOf, traceHeaders, traceOf } from "../../src/base/trace-context.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const VALID = `00-${TRACE}-${SPAN}-01`

test.each([
  ["no header", undefined],
  ["an empty header", ""],
  ["version ff", `ff-${TRACE}-${SPAN}-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a parent id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["upper-case digits", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`],
  ["missing flags", `00-${TRACE}-${SPAN}`],
  ["a longer version 00", `${VALID}-more`],
  ["two headers", `${VALID}, ${VALID}`],
  ["a later version with more characters and no dash", `01-${TRACE}-${SPAN}-01more`],
  ["characters that are not hexadecimal", `00-${TRACE.replace("a", "g")}-${SPAN}-01`],
])("A traceparent with %s is ignored, together with its tracestate", (_what, header) => {
  expect(parseTrace(header, "vendor=1")).toBeNull()
})

test.each([
  ["version 00", VALID, VALID],
  ["other flags than sampled", `00-${TRACE}-${SPAN}-fe`, `00-${TRACE}-${SPAN}-00`],
  ["a later version", `cc-${TRACE}-${SPAN}-01`, VALID],
  ["a later version with more fields", `cc-${TRACE}-${SPAN}-01-what-the-future-holds`, VALID],
])("A traceparent of %s is stored as version 00", (_what, header, stored) => {
  expect(parseTrace(header, undefined)).toEqual({ traceparent: stored, tracestate: null })
})

const list = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(",")

test.each([
  ["one member", "vendor=00f067aa0ba902b7", "vendor=00f067aa0ba902b7"],
  ["spaces and empty members", " a=1 ,\t, b=2 ,", "a=1,b=2"],
  ["a tenant", "0tenant@system=x", "0tenant@system=x"],
  ["32 members", list(32), list(32)],
  ["33 members", list(33), null],
  ["a key twice", "a=1,a=2", null],
  ["an upper-case key", "A=1", null],
  ["a member without a value", "a=", null],
  ["an equals sign in a value", "a=b=c", null],
  ["a member that is no pair", "a", null],
  ["nothing", "", null],
  ["a key of 257 characters", `${"a".repeat(257)}=1`, null],
])("A tracestate with %s is passed on in its shortest form or left out", (_what, header, stored) => {
  expect(parseTrace(VALID, header)).toEqual({ traceparent: VALID, tracestate: stored })
})

test("A tracestate of more than 512 characters loses its long members, then members from its end", () => {
  const long = `long=${"x".repeat(130)}`
  const many = Array.from({ length: 12 }, (_, index) => `m${index}=${"y".repeat(40)}`)
  expect(parseTrace(VALID, [long, "first=1", ...many.slice(0, 10)].join(","))?.tracestate).toBe(
    ["first=1", ...many.slice(0, 10)].join(","),
  )
  expect(parseTrace(VALID, ["first=1", ...many].join(","))?.tracestate).toBe(
    ["first=1", ...many.slice(0, 11)].join(","),
  )
})

test("A turn without a traceparent has its own id as the trace, and each part has a span id of its own", () => {
  const now = new Date("2026-11-26T09:00:00Z")
  const turns = Array.from({ length: 200 }, () => ({
    turn_id: newId("turn", now),
    traceparent: null,
    tracestate: null,
  }))
  const traces = turns.map((turn) => traceOf(turn).traceId)
  expect(new Set(traces).size).toBe(turns.length)
  for (const id of traces) expect(id).toMatch(/^[0-9a-f]{32}$/)
  const [turn] = turns as [(typeof turns)[number]]
  expect(traceHeaders(turn, "tool 0.1")).toEqual({
    traceparent: `00-${traces[0]}-${spanIdOf(turn.turn_id, "tool 0.1")}-01`,
  })
  const parts = ["turn", "agent 0.1", "chat 0", "chat 1", "tool 0.1", "tool 1.0", "delivery dlv_1"] as const
  expect(new Set(parts.map((part) => spanIdOf(turn.turn_id, part))).size).toBe(parts.length)
  expect(traceOf({ ...turn, turn_id: "turn_01m8ad1hh591m6kbzegzwg23m4" }).traceId).toBe(
    "01a214d0c625486869afee87f9010e84",
  )
})
