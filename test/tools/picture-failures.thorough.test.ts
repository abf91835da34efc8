import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { MemoryBudget } from "../../src/platform/memory.ts"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { everyRow } from "../harness/dump.ts"
import {
  addImageModel,
  logInMedia,
  MEDIA_TOKEN,
  PAINTER,
  PICTURES,
  pictureAnswer,
  serveImages,
} from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const PAINT = '[call generate_image {"prompt":"a cat"}]'
const PRICE = 400_000

let world: World
const logged: string[] = []
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  world = await createWorld({ env: { LOG_LEVEL: "info" } })
  await addImageModel(world)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/** All stored and logged data except sealed values. */
async function everything(): Promise<string> {
  return [...logged, ...(await everyRow(world)).map(({ text }) => text)].join("\n")
}
afterEach(async () => {
  expect(await everything()).not.toContain(MEDIA_TOKEN)
})

const lossesOf = (turnId: string) =>
  world.sql("select cause, credit_micros::float8 as micros from losses where turn_id = $1", [turnId])
const codesOf = async (turnId: string) =>
  (await world.sql("select kind, name, code from infrastructure_errors where turn_id = $1", [turnId])).map(
    ({ kind, name, code }) => [kind, name, code].join(" "),
  )

/**
 * Runs a turn that requests one picture and expects it to end as done, without a picture and billed
 * for its model calls only.
 */
async function failing(answer: Parameters<typeof serveImages>[1], { slow = false, text = PAINT } = {}) {
  const asked = serveImages(world, answer)
  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(PAINTER), text }))
  const drained = world.drain()
  await (slow ? passTime(world, drained, 1_000) : drained)
  const turn = await client.getTurn(turn_id)
  expect(turn, JSON.stringify(turn.error)).toMatchObject({ state: "done", outputs: [], usage: { model_calls: 2 } })
  expect(await world.sql("select 1 from usage where turn_id = $1 and call is not null", [turn_id])).toEqual([])
  const [promised] = await expectPromises(world, client.userId)
  expect(promised?.billed).toBeLessThan(PRICE)
  await world.settled()
  return { said: turn.result ?? "", asked, lost: await lossesOf(turn_id), codes: await codesOf(turn_id) }
}

const NOTHING = "Pictures cannot be made at the moment."
const LOST = [{ cause: "unfinished", micros: PRICE }]
const echo = (status: number) => () => Response.json({ error: { message: `${MEDIA_TOKEN} and prices` } }, { status })
const refusal = (status: number) =>
  `The provider rejected the request for the picture (HTTP ${status}). Change the prompt or the size.`

test.each([
  ["400", echo(400), refusal(400), "rejected", []],
  ["422", echo(422), refusal(422), "rejected", []],
  ["401", echo(401), NOTHING, "no_credential", []],
  ["403", echo(403), NOTHING, "rejected", []],
  ["404", echo(404), NOTHING, "rejected", []],
  ["429", echo(429), NOTHING, "unavailable", []],
  ["500", echo(500), NOTHING, "unavailable", []],
  ["529", echo(529), NOTHING, "unavailable", []],
  ["502: a gateway has lost the answer", echo(502), NOTHING, "unavailable", LOST],
  ["504", echo(504), NOTHING, "unavailable", LOST],
  ["a redirect", () => Response.redirect("https://media.test/elsewhere", 307), NOTHING, "rejected", []],
  [
    "no answer: the request may have arrived",
    () => Promise.reject(new Error(`cut ${MEDIA_TOKEN}`)),
    NOTHING,
    "network",
    LOST,
  ],
  ["no JSON", () => new Response("<html>"), "The answer has no picture.", "no_picture", LOST],
  ["null", () => Response.json(null), "The answer has no picture.", "no_picture", LOST],
  ["no data", () => Response.json({ data: [] }), "The answer has no picture.", "no_picture", LOST],
  [
    "a URL",
    () => Response.json({ data: [{ url: "https://media.test/a.png" }] }),
    "The answer has no picture.",
    "no_picture",
    LOST,
  ],
  ["a number", () => Response.json({ data: [{ b64_json: 7 }] }), "The answer has no picture.", "no_picture", LOST],
  [
    "a text",
    () => pictureAnswer(Buffer.from("<svg onload=alert(1)>")),
    "The answer has no picture.",
    "no_picture",
    LOST,
  ],
  ["a GIF", () => pictureAnswer(Buffer.from("GIF89a......")), "The answer has no picture.", "no_picture", LOST],
  [
    "half a signature",
    () => pictureAnswer(PICTURES.png.subarray(0, 7)),
    "The answer has no picture.",
    "no_picture",
    LOST,
  ],
  [
    "a picture above the limit",
    () => pictureAnswer(Buffer.concat([PICTURES.png, Buffer.alloc(TOOL_POLICY.maxPictureBytes)])),
    "The picture is too large.",
    "too_large",
    LOST,
  ],
  [
    "no end",
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(1_000_000).fill(97)),
        }),
      ),
    "The picture is too large.",
    "too_large",
    LOST,
  ],
  [
    "a connection that breaks",
    () => {
      let sent = 0
      return new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            if (sent++ > 2) controller.error(new Error("broken"))
            else controller.enqueue(new Uint8Array(10).fill(97))
          },
        }),
      )
    },
    NOTHING,
    "network",
    LOST,
  ],
] as const)(
  "An endpoint that answers with %s is an error for the model",
  async (_what, answer, words, code, losses) => {
    await logInMedia(world)
    const { said, asked, lost, codes } = await failing(answer)
    expect(said).toContain(`generate_image failed: ${words}`)
    expect(asked).toHaveLength(1)
    expect(codes).toEqual([`model_call openai ${code}`])
    expect(lost).toEqual(losses)
  },
)

test("The model of an account at its limit of files gets an error before a picture is requested", async () => {
  await logInMedia(world)
  const asked = serveImages(world)
  const client = await world.createAccount()
  const space = await client.space(PAINTER)
  await world.sql("insert into settings (key, value) values ('max_files', '1')")
  const text = `[call write_file {"name":"a.txt","content":"x"}]\n${PAINT}`
  const turn = await client.runTurn({ space, text }).finally(() => world.sql("delete from settings"))
  expect(turn).toMatchObject({ state: "done", outputs: [{ name: "a.txt" }] })
  const next = await client.runTurn({ space, text: PAINT })
  expect(next.outputs).toHaveLength(1)
  expect(asked).toHaveLength(1)
})

test("An answer for which no memory is free in time is not read", async () => {
  await logInMedia(world)
  const borrow = vi.spyOn(MemoryBudget.prototype, "borrow").mockResolvedValue(null)
  const { said, lost, codes } = await failing(() => pictureAnswer(PICTURES.png)).finally(() => borrow.mockRestore())
  expect(said).toContain(`generate_image failed: ${NOTHING}`)
  expect(codes).toEqual(["model_call openai busy"])
  expect(lost).toEqual(LOST)
})

test("A request to an endpoint that never answers, or that answers byte by byte, is abandoned in time", async () => {
  await logInMedia(world)
  const never = await failing(() => new Promise(() => {}), { slow: true })
  expect(never.said).toContain("generate_image failed: The picture did not arrive in time.")
  const drops = await failing(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            await world.clock.sleep(1_000)
            controller.enqueue(new Uint8Array(1).fill(32))
          },
        }),
      ),
    { slow: true },
  )
  expect(drops.said).toContain("generate_image failed: The picture did not arrive in time.")
  expect([never.lost, drops.lost]).toEqual([LOST, LOST])
  expect(never.codes).toEqual(["model_call openai timeout"])
})

test.each([
  ["no account", "delete from provider_accounts", "no_account"],
  ["no credential", "delete from provider_credentials", "no_account"],
  ["a disabled account", "update provider_accounts set disabled_at = now()", "no_account"],
  ["an account that needs a login", "update provider_accounts set health = 'needs_login'", "no_account"],
  [
    "an account without an address",
    "update provider_accounts set base_url = null, engine = 'openai-compatible'",
    "no_account",
  ],
  ["a credential that cannot be opened", "update provider_credentials set sealed = 'broken'", "no_credential"],
])("A request with %s is not sent", async (_what, change, code) => {
  await logInMedia(world)
  await world.sql(change)
  const { said, asked, lost, codes } = await failing(() => pictureAnswer(PICTURES.png))
  expect(said).toContain(`generate_image failed: ${NOTHING}`)
  expect([asked, lost, codes]).toEqual([[], [], [`model_call openai ${code}`]])
})

test.each([
  ["no prompt", "{}"],
  ["an empty prompt", '{"prompt":"  "}'],
  ["a prompt above the limit", `{"prompt":"${"x".repeat(TOOL_POLICY.picturePromptCharacters + 1)}"}`],
  ["an invalid size", '{"prompt":"x","size":"9999x9999"}'],
  ["another field", '{"prompt":"x","n":10}'],
])("An input with %s is the model's error", async (_what, input) => {
  await logInMedia(world)
  const { said, asked, codes } = await failing(() => pictureAnswer(PICTURES.png), {
    text: `[call generate_image ${input}]`,
  })
  expect(said).toContain("generate_image failed: The input is invalid")
  expect([asked, codes]).toEqual([[], []])
})

test("A login's token is sent with its headers", async () => {
  const headers = { "x-account": "acct_1" }
  const credential = { kind: "oauth", access_token: MEDIA_TOKEN, refresh_token: null, headers } as const
  await logInMedia(world, { credential })
  const asked = serveImages(world)
  const client = await world.createAccount()
  const turn = await client.runTurn({ space: await client.space(PAINTER), text: PAINT })
  expect(turn.outputs).toHaveLength(1)
  expect(asked[0]?.headers).toMatchObject({ authorization: `Bearer ${MEDIA_TOKEN}`, ...headers })
  const events = await (await client.call("GET", `/v1/turns/${turn.turn_id}/events`)).text()
  expect(events).toContain("generate_image")
  expect(events + JSON.stringify(turn)).not.toContain(MEDIA_TOKEN)
})

test("A turn whose time ends while a picture is made has no picture and is not billed for it", async () => {
  await logInMedia(world)
  serveImages(world, () => new Promise(() => {}))
  const client = await world.createAccount()
  const space = await client.space({ manifest: { ...PAINTER.manifest, timeout_seconds: 30 } })
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: PAINT }))
  await passTime(world, world.drain(), 1_000)
  expect(await client.getTurn(turn_id)).toMatchObject({
    state: "failed",
    error: { code: "TIMEOUT_REACHED" },
    outputs: [],
  })
  expect(await lossesOf(turn_id)).toEqual(LOST)
  const [promised] = await expectPromises(world, client.userId)
  expect(promised?.billed).toBeLessThan(PRICE)
})

test("A picture that arrives after a cancel is billed with the turn's other calls, and is an output", async () => {
  await logInMedia(world)
  const client = await world.createAccount()
  const space = await client.space(PAINTER)
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: PAINT }))
  serveImages(world, async () => {
    await world.advance(1_000)
    expect((await client.call("POST", `/v1/turns/${turn_id}/cancel`)).status).toBe(200)
    return pictureAnswer(PICTURES.png)
  })
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "cancelled", outputs: [{ media_type: "image/png" }] })
  const [promised] = await expectPromises(world, client.userId)
  expect(promised?.billed).toBeGreaterThan(PRICE)
  expect(await lossesOf(turn_id)).toEqual([])
})
