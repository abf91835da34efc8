import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { windowsOf } from "../../src/providers/windows.ts"

const NOW = new Date("2026-11-20T12:00:00.000Z")
const taken_at = NOW.toISOString()
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const epoch = (seconds: number) => String(inSeconds(seconds).getTime() / 1000)
const of = (headers: Record<string, string>) => windowsOf(new Headers(headers), NOW)

describe("Windows in providers' headers", () => {
  test("Anthropic's plans send a fraction and Unix seconds, and windows are named by their length", () => {
    const windows = of({
      "anthropic-ratelimit-unified-5h-utilization": "0.423",
      "anthropic-ratelimit-unified-5h-reset": epoch(3600),
      "anthropic-ratelimit-unified-7d-utilization": "0.9",
      "anthropic-ratelimit-unified-7d-reset": epoch(86_400),
    })
    expect(windows).toEqual([
      {
        resource: "unified",
        window_seconds: 18_000,
        used_pct: 42.3,
        reset_at: inSeconds(3600).toISOString(),
        taken_at,
      },
      {
        resource: "unified",
        window_seconds: 604_800,
        used_pct: 90,
        reset_at: inSeconds(86_400).toISOString(),
        taken_at,
      },
    ])
  })

  test("Anthropic's API keys send the limit, the remaining amount and an RFC 3339 time of each resource", () => {
    const headers: Record<string, string> = {}
    for (const resource of ["requests", "tokens", "input-tokens", "output-tokens"]) {
      headers[`anthropic-ratelimit-${resource}-limit`] = "1000"
      headers[`anthropic-ratelimit-${resource}-remaining`] = "250"
      headers[`anthropic-ratelimit-${resource}-reset`] = "2026-11-20T12:00:12Z"
    }
    const windows = of(headers)
    expect(windows.map(({ resource }) => resource).sort()).toEqual([
      "input-tokens",
      "output-tokens",
      "requests",
      "tokens",
    ])
    for (const window of windows) {
      expect(window).toMatchObject({ window_seconds: 60, used_pct: 75, reset_at: inSeconds(12).toISOString() })
    }
  })

  test.each([
    ["12ms", 0.012],
    ["1m30s", 90],
    ["6h0m0s", 21_600],
    ["1.5s", 1.5],
    ["2d", 172_800],
  ])("OpenAI sends resets as durations: %s from now", (reset, seconds) => {
    const headers = { "x-ratelimit-limit-tokens": "100", "x-ratelimit-remaining-tokens": "0" }
    const reset_at = inSeconds(seconds).toISOString()
    expect(of({ ...headers, "x-ratelimit-reset-tokens": reset })).toEqual([
      { resource: "tokens", window_seconds: 60, used_pct: 100, reset_at, taken_at },
    ])
  })

  test("OpenAI plans with two slots are read by length, whichever slot is used", () => {
    const windows = of({
      "x-codex-primary-used-percent": "12.5",
      "x-codex-primary-window-minutes": "10080",
      "x-codex-primary-reset-at": epoch(500_000),
      "x-codex-secondary-used-percent": "80",
      "x-codex-secondary-window-minutes": "300",
      "x-codex-secondary-reset-at": epoch(500),
    })
    expect(windows.map(({ window_seconds, used_pct }) => [window_seconds, used_pct])).toEqual([
      [604_800, 12.5],
      [18_000, 80],
    ])
  })

  test("A rejected window is full, whatever amount it has left, and has no reset unless the headers name one", () => {
    const window = { resource: "unified", window_seconds: 18_000, used_pct: 100, reset_at: null, taken_at }
    expect(of({ "anthropic-ratelimit-unified-5h-status": "rejected" })).toEqual([window])
    const both = {
      "anthropic-ratelimit-unified-5h-utilization": "0.7",
      "anthropic-ratelimit-unified-5h-status": "rejected",
    }
    expect(of(both)).toEqual([window])
    const allowed = { ...both, "anthropic-ratelimit-unified-5h-status": "allowed" }
    expect(of(allowed)).toEqual([{ ...window, used_pct: 70 }])
  })

  test.each([
    ["allowed", "1", 99.9],
    ["allowed", "1.02", 99.9],
    ["allowed_warning", "1.5", 99.9],
    ["allowed", "0.7", 70],
    ["rejected", "0.7", 100],
    ["something new", "1", 100],
  ])("A window that is %s at %s of its use counts as used by %d percent", (status, utilization, used_pct) => {
    const headers = {
      "anthropic-ratelimit-unified-7d-status": status,
      "anthropic-ratelimit-unified-7d-utilization": utilization,
    }
    expect(of(headers)).toMatchObject([{ used_pct }])
  })

  test("Of hundreds of windows only the fullest are used, since each could become a row with every answer", () => {
    const headers = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`anthropic-ratelimit-unified-${n + 1}m-utilization`, String(n / 1000)]),
    )
    const windows = of(headers)
    expect([windows.length, windows[0]?.used_pct]).toEqual([16, 89.9])
  })

  test("Of two windows of one length the fuller one counts", () => {
    const slot = (name: string, used: string) => ({
      [`x-codex-${name}-used-percent`]: used,
      [`x-codex-${name}-window-minutes`]: "300",
    })
    expect(of({ ...slot("primary", "80"), ...slot("secondary", "20") })).toMatchObject([{ used_pct: 80 }])
    expect(of({ ...slot("primary", "20"), ...slot("secondary", "80") })).toMatchObject([{ used_pct: 80 }])
  })
})

describe("Invalid headers", () => {
  const used = (value: string) => of({ "anthropic-ratelimit-unified-5h-utilization": value })
  test.each(["NaN", "-0.1", "1e3", "Infinity", "", "0x10", "99999999999999999999", "eleven", "50", "0,5"])(
    "A utilization of %s is left out",
    (value) => expect(used(value)).toEqual([]),
  )

  test("A utilization slightly above 100 % counts as 100 %", () => {
    expect(used("1.02")).toMatchObject([{ used_pct: 100 }])
  })

  const reset = (value: string) =>
    of({ "anthropic-ratelimit-unified-5h-utilization": "0.5", "anthropic-ratelimit-unified-5h-reset": value })
  test.each([epoch(0), epoch(-1), "0"])("A window that has ended is left out: reset %s", (value) => {
    expect(reset(value)).toEqual([])
  })

  test.each(["NaN", "-5", "9999999999", "999999999999999", "soon"])(
    "A reset of %s is left out, and the rest counts",
    (value) => {
      expect(reset(value)).toMatchObject([{ used_pct: 50, reset_at: null }])
    },
  )

  test.each(["2026-13-45T99:99:99Z", "tomorrow", "Fri, 20 Nov 2026 13:00:00 GMT", "+999999-01-01T00:00:00Z"])(
    "A time of %s is left out",
    (value) => {
      const headers = { "anthropic-ratelimit-tokens-limit": "10", "anthropic-ratelimit-tokens-remaining": "5" }
      expect(of({ ...headers, "anthropic-ratelimit-tokens-reset": value })).toMatchObject([
        { used_pct: 50, reset_at: null },
      ])
    },
  )

  test.each([
    ["0", "0"],
    ["-10", "5"],
    ["10", "-5"],
    ["", "5"],
  ])("A limit of %s with %s left is left out", (limit, remaining) => {
    expect(of({ "x-ratelimit-limit-tokens": limit, "x-ratelimit-remaining-tokens": remaining })).toEqual([])
  })

  test("A remaining amount above the limit counts as the limit", () => {
    const headers = { "x-ratelimit-limit-tokens": "10", "x-ratelimit-remaining-tokens": "50" }
    expect(of(headers)).toMatchObject([{ used_pct: 0 }])
  })

  test.each(["0", "0.001", "-5", "NaN", "1e9", "999999999"])("A window of %s minutes is left out", (minutes) => {
    expect(of({ "x-codex-primary-used-percent": "5", "x-codex-primary-window-minutes": minutes })).toEqual([])
  })

  test("A slot without a length and headers of other services are left out", () => {
    expect(of({ "x-codex-primary-used-percent": "5", "x-ratelimit-limit": "5", "anthropic-ratelimit-": "1" })).toEqual(
      [],
    )
  })
})

test("Any headers are read without an error, and the result can be stored", () => {
  const names = fc.constantFrom(
    ...["5h", "7d", "0d", "999d"].flatMap((length) =>
      ["utilization", "reset", "status"].map((fact) => `anthropic-ratelimit-unified-${length}-${fact}`),
    ),
    ...["requests", "tokens", "input-tokens"].flatMap((resource) =>
      ["limit", "remaining", "reset"].flatMap((fact) => [
        `anthropic-ratelimit-${resource}-${fact}`,
        `x-ratelimit-${fact}-${resource}`,
      ]),
    ),
    ...["primary", "secondary", "tertiary"].flatMap((slot) =>
      ["used-percent", "window-minutes", "reset-at"].map((fact) => `x-codex-${slot}-${fact}`),
    ),
  )
  const values = fc.oneof(
    fc.double().map(String),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.stringMatching(/^[0-9hmsd.]{0,12}$/),
    fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
    fc.integer({ min: 0, max: 1e6 }).map((seconds) => epoch(seconds)),
  )
  fc.assert(
    fc.property(fc.dictionary(names, values, { maxKeys: 12 }), (headers) => {
      const windows = of(headers)
      const keys = windows.map(({ resource, window_seconds }) => `${resource}:${window_seconds}`)
      expect(new Set(keys).size).toBe(keys.length)
      for (const { used_pct, window_seconds, reset_at } of windows) {
        expect(used_pct >= 0 && used_pct <= 100).toBe(true)
        expect(Number.isInteger(window_seconds) && window_seconds > 0).toBe(true)
        if (reset_at !== null) {
          expect(Date.parse(reset_at)).toBeGreaterThan(NOW.getTime())
          expect(reset_at).toMatch(/^20\d\d-/)
        }
      }
    }),
    { numRuns: 2000 },
  )
})
