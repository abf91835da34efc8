import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** An escape sequence of a terminal, its C1 form, a line break, and two characters that reverse the text after them. */
const HIDDEN = ["\u001b[31m", "\u009b31m", "\n", "\u202e", "\u2066"]

const paramOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error?: { param?: string } }
  return [answer.status, error?.param]
}

test("Names, titles and references with hidden characters are refused, and scripts from right to left are accepted", async () => {
  const client = await world.createAccount({ usd: 5 })
  const browser = await world.signIn(client.userId)
  const space = await client.space()
  const send = (end_user_ref: string) => client.sendTurn({ space, text: "hello", end_user_ref })
  const createKey = (name: string) => browser.json("POST", "/api/account/keys", { name, scope: "created" })
  for (const hidden of HIDDEN) {
    const text = `a${hidden}b`
    expect(await paramOf(await send(text))).toEqual([422, "end_user_ref"])
    expect(await paramOf(await client.call("POST", "/v1/spaces", { title: text }))).toEqual([422, "title"])
    expect(await paramOf(await client.call("PATCH", `/v1/spaces/${space}`, { title: text }))).toEqual([422, "title"])
    const chat = { model: space, user: text, messages: [{ role: "user", content: "hello" }] }
    expect((await client.call("POST", "/v1/openai/chat/completions", chat)).status).toBe(400)
    expect((await createKey(text))[0]).toBe(422)
  }
  const fine = "مكتب الدعم 👩‍💻 שולחן"
  expect((await send(fine)).status).toBe(202)
  expect((await client.call("POST", "/v1/spaces", { title: fine })).status).toBe(201)
  expect((await createKey(fine))[0]).toBe(201)
})

test("A note may have several lines, and no other hidden characters", async () => {
  const { userId } = await world.createAccount()
  const client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  const credit = (note: string) => {
    const headers = { "idempotency-key": crypto.randomUUID() }
    return client.call("POST", "/v1/end-users/ada/credits", { amount_usd: 1, note }, headers)
  }
  const hidden = HIDDEN.filter((text) => text !== "\n")
  for (const text of hidden) expect(await paramOf(await credit(`a${text}b`))).toEqual([422, "note"])
  expect((await credit("First line.\n\tSecond line.")).status).toBe(201)
})
