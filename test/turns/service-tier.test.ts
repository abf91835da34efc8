import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { chunk, counts, ends, messageStart, type RecordedStream, said, usage } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { waiter } from "../harness/waiting.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** A manifest asks for a tier of service, and the answer says how the call was served. */

const CLAUDE = "anthropic/claude-opus-4-6"

let world: World
let admin: Admin
let client: TestClient
let asked: Record<string, unknown>[] = []
let betas: (string | null)[] = []
/** The tier in the provider's answers. */
let served: string | undefined
/** The provider's refusal of a request; null: it answers. */
let refusal: (body: Record<string, unknown>) => Response | null
beforeAll(async () => {
  const keys = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: PROVIDER_URL }
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, ...keys } })
  for (const pin of [PROVIDED_PIN, CLAUDE]) await addModel(world, pin)
  admin = await signInAdmin(world)
  world.serve("model.test", async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push(body)
    betas.push(request.headers.get("anthropic-beta"))
    const refused = refusal(body)
    if (refused) return refused
    const isAnthropic = request.url.endsWith("/messages")
    const engine: RecordedStream["engine"] = isAnthropic ? "anthropic" : "openai-compatible"
    const frames = isAnthropic
      ? [messageStart({ input_tokens: 1_000 }), ...said(0, "Fine."), ...ends("end_turn", { output_tokens: 10 })]
      : [chunk({ content: "Fine." }), chunk({}, "stop"), counts(usage(1_000, 10)), "[DONE]"]
    const told = frames.map((frame) =>
      typeof frame === "string" || !served ? frame : { ...frame, service_tier: served },
    )
    return new Response(bytesOfFrames({ engine, frames: told }), { headers: { "content-type": "text/event-stream" } })
  })
})
beforeEach(async () => {
  ;[asked, betas, served, refusal] = [[], [], undefined, () => null]
  await world.sql("update model_catalog set learned = '{}'")
  for (const pin of [PROVIDED_PIN, CLAUDE]) await putFactors({ flex: 0.5, priority: 2, fast: 6 }, pin)
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

async function putFactors(modifiers: object, pin = PROVIDED_PIN) {
  const path = `/api/admin/model-catalog/${encodeURIComponent(pin)}/prices`
  const [status] = await admin.json("PUT", path, { input: 3, cached: 0.3, output: 15, modifiers })
  expect(status).toBe(200)
}

const OWN = 1_000 * 30 + 10 * 150

async function runWith(manifest: object, model = PROVIDED_PIN) {
  const space = await client.space({ manifest: { builtin_tools: [], ...manifest } })
  const turn = await client.runTurn({ space, model, max_cost_usd: 5 })
  const events = await waiter(client).events(turn.turn_id)
  await expectPromises(world, client.userId)
  return { turn, micros: Math.round(turn.billed_cost_usd * 1e7), events }
}

const adjustedOf = (events: { type: string; data: Record<string, unknown> }[]) =>
  events.filter(({ type }) => type === "request.adjusted").map(({ data }) => data.without)

test.each([
  ["flex", "flex", 0.5],
  ["flex", "default", 1],
  ["priority", "priority", 2],
  ["priority", "default", 1],
  ["priority", "fast", 6],
  ["default", undefined, 1],
  ["auto", "priority", 2],
])(
  "A manifest asks for %s, and an answer that says %s is billed with its factor",
  async (service_tier, word, factor) => {
    served = word
    const { micros, events } = await runWith({ service_tier })
    expect(asked).toMatchObject([{ service_tier }])
    expect(micros).toBe(OWN * factor)
    expect(events.find(({ type }) => type === "step.started")?.data).toMatchObject({ service_tier })
    expect(adjustedOf(events)).toEqual([])
  },
)

test("A manifest without a tier asks for none", async () => {
  await runWith({})
  expect(asked[0]).not.toHaveProperty("service_tier")
})

test("An estimate and the first hold pay for a dearer tier, and for the usual service of a cheaper one", async () => {
  const estimate = async (service_tier?: string) => {
    const space = await client.space({ manifest: { builtin_tools: [], ...(service_tier && { service_tier }) } })
    const body = { space, end_user_ref: "ada", model: PROVIDED_PIN, text: "x".repeat(5_000) }
    const answer = await client.call("POST", "/v1/turns/estimate", body)
    return ((await answer.json()) as { needed_usd: number }).needed_usd
  }
  await putFactors({ flex: 0.5, priority: 2 })
  const usual = await estimate()
  expect(await estimate("flex")).toBe(usual)
  expect(await estimate("default")).toBe(usual)
  expect((await estimate("priority")) / usual).toBeCloseTo(2, 4)
  expect((await estimate("fast")) / usual).toBeCloseTo(2, 4)
  await world.sql(`update model_catalog set learned = '{"without":["service_tier"]}' where pin = $1`, [PROVIDED_PIN])
  expect(await estimate("priority")).toBe(usual)
})

test("A tier without a factor is not asked for, and the turn says so", async () => {
  await putFactors({ flex: 0.5 })
  const { micros, events } = await runWith({ service_tier: "ultrafast" })
  expect(asked[0]).not.toHaveProperty("service_tier")
  expect(adjustedOf(events)).toEqual([["service_tier"]])
  expect(micros).toBe(OWN)
})

test("A model that refuses the parameter is asked without it from then on", async () => {
  const error = { message: "Unknown parameter: 'service_tier'.", type: "invalid_request_error", param: "service_tier" }
  refusal = (body) => ("service_tier" in body ? Response.json({ error }, { status: 400 }) : null)
  const first = await runWith({ service_tier: "flex" })
  expect(adjustedOf(first.events)).toEqual([["service_tier"]])
  const second = await runWith({ service_tier: "flex" })
  expect(asked.map(({ service_tier }) => service_tier)).toEqual(["flex", undefined, undefined])
  expect(adjustedOf(second.events)).toEqual([["service_tier"]])
  expect(second.micros).toBe(OWN)
})

test.each([
  [429, { message: "Resource unavailable. Please try again later.", code: "resource_unavailable" }],
  [498, { message: "Flex tier capacity exceeded.", code: "capacity_exceeded" }],
])(
  "A flexible tier without room (%i) is asked for its usual service at once, for that call alone",
  async (status, error) => {
    refusal = (body) => ("service_tier" in body ? Response.json({ error }, { status }) : null)
    const { micros, events } = await runWith({ service_tier: "flex" })
    expect(asked.map(({ service_tier }) => service_tier)).toEqual(["flex", undefined])
    expect(adjustedOf(events)).toEqual([["service_tier"]])
    expect(micros).toBe(OWN)
    refusal = () => null
    await runWith({ service_tier: "flex" })
    expect(asked.at(-1)).toMatchObject({ service_tier: "flex" })
  },
)

test("Anthropic is asked by its own words, and a tier that it lacks is left out", async () => {
  for (const service_tier of ["auto", "priority", "default", "fast", "flex"]) await runWith({ service_tier }, CLAUDE)
  expect(asked.map(({ service_tier, speed }) => service_tier ?? speed)).toEqual([
    "auto",
    "auto",
    "standard_only",
    "fast",
    undefined,
  ])
  expect(betas[3]).toContain("fast-mode-2026-02-01")
  expect(betas[2] ?? "").not.toContain("fast-mode")
})

test("A word that is no tier is refused with its place", async () => {
  const answer = await client.call("POST", "/v1/spaces", { title: "T", manifest: { service_tier: "standard_only" } })
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ error: { param: "manifest.service_tier" } })
})
