import { afterAll, beforeAll, expect, test } from "vitest"
import { readEventStream } from "../harness/event-stream.ts"
import { expectPromises } from "../harness/promises.ts"
import { CHAT, type Session, shareSpace } from "../harness/shared-space.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Seen {
  seq: number
  type: string
  data: { text?: string }
}

const EVENTS = { accept: "text/event-stream" }
const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ")
const textOf = (events: readonly Seen[]) => events.map(({ data }) => data.text ?? "").join("")

const send = (browser: Session, space: string, headers = {}) =>
  browser.call("POST", CHAT, { space, text: `[stream 100 ms]\n[reply ${words}]` }, { ...EVENTS, ...headers })

const runsOf = (space: string) =>
  world.sql<{ here: boolean }>(
    "select claim_message = turn_id as here from turns t join spaces s using (space_id) where s.slug = $1",
    [space],
  )

const messages = async () => (await world.calls()).filter(({ service }) => service === "qstash").length

/** Sends a chat turn, and reads its events as they come: their text, and the longest time between two pieces. */
async function read(browser: Session, space: string) {
  const at: number[] = []
  const reading = send(browser, space).then((response) =>
    readEventStream<Seen>(response, {
      onEvent: ({ type }) => {
        if (type === "text.delta") at.push(world.clock.ms())
        return true
      },
    }),
  )
  const seen = await passTime(world, reading, 10)
  await world.settled()
  const gaps = at.slice(1).map((one, nth) => one - (at[nth] ?? 0))
  return { text: textOf(seen), longestGap: Math.max(...gaps), last: seen.at(-1)?.type }
}

test("A chat turn of the owner, and of a member of a shared space, runs in the request that sends it", async () => {
  const { space, people, owner } = await shareSpace(world, "chats")
  await world.plan([])
  for (const browser of [owner, people.member, people.guest]) {
    const seen = await read(browser, space)
    expect([seen.text, seen.last]).toEqual([words, "turn.done"])
    expect(seen.longestGap).toBeLessThanOrEqual(150)
  }
  expect(await runsOf(space)).toEqual(Array(3).fill({ here: true }))
  expect(await messages()).toBe(0)
  await world.clearFaults()
  await expectPromises(world, owner.userId)
})

test("The response names its turn, and the same request again streams the same turn", async () => {
  const client = await world.createAccount()
  const [browser, space] = [await world.signIn(client.userId), await client.space()]
  const [first, again] = await passTime(
    world,
    (async () => {
      const answers = [await send(browser, space, { "idempotency-key": "once" })]
      await answers[0]?.clone().text()
      answers.push(await send(browser, space, { "idempotency-key": "once" }))
      return answers
    })(),
    10,
  )
  const location = first?.headers.get("location") ?? ""
  expect([again?.headers.get("location"), again?.headers.get("idempotent-replayed")]).toEqual([location, "true"])
  const [status, turn] = await browser.json("GET", location)
  expect([status, turn.state, turn.result]).toEqual([200, "done", words])
  expect(textOf(await readEventStream<Seen>(again as Response))).toBe(words)
  expect(await runsOf(space)).toHaveLength(1)
})

test("A stranger, an ended session and a page of another user are refused, and no turn is made", async () => {
  const { space, stranger, people } = await shareSpace(world, "refused chats")
  const codeOf = async (response: Response) => {
    const body = (await response.json()) as { code: string }
    return [response.status, body.code]
  }
  expect(await codeOf(await send(stranger, space))).toEqual([404, "NOT_FOUND"])
  const other = { "x-turnpike-user": String(stranger.userId) }
  expect(await codeOf(await send(people.member, space, other))).toEqual([409, "SIGNED_IN_AS_OTHER"])
  await world.sql("update sessions set ended_at = created_at where user_id = $1", [people.member.userId])
  expect(await codeOf(await send(people.member, space))).toEqual([401, "SESSION_REQUIRED"])
  expect(await runsOf(space)).toEqual([])
})

test("The call between the workers has no token that anyone could use", async () => {
  const client = await world.createAccount()
  const [browser, space] = [await world.signIn(client.userId), await client.space()]
  const bodies: string[] = []
  world.rebind({ CALLBACKS_URL: "https://elsewhere.test" })
  world.serve("elsewhere.test", async (request) => {
    bodies.push(await request.text())
    return new Response("gone", { status: 502 })
  })
  const response = await send(browser, space)
  world.rebind({})
  await response.body?.cancel()
  expect(response.status).toBe(200)
  expect(bodies.join()).toContain('"kind":"session"')
  expect(bodies.join()).not.toContain(browser.token.split(".")[1])
})
