import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ERASURE_POLICY } from "../../src/end-users/policies.ts"
import { readJson } from "../harness/answers.ts"
import { createFileClient } from "../harness/files.ts"
import { canariesOf, liveFully, serveEchoes, spaceOf } from "../harness/full-life.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { amountsOf, keysOf, searchEverywhere } from "../harness/search.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveEchoes(world)
})
afterAll(() => world.close())

const REF = "Jane/Doe 42%"
const at = (ref = REF) => `/v1/end-users/${encodeURIComponent(ref)}`

async function account() {
  const created = await world.createAccount({ usd: 100 })
  const { value } = await world.makeKey(created.userId, { scope: "all" })
  return { created, all: world.createClient(created.userId, value) }
}

async function erase(client: TestClient, ref = REF): Promise<Record<string, unknown>> {
  const [status, receipt] = await readJson(client.call("DELETE", at(ref)))
  expect(status, JSON.stringify(receipt)).toBe(200)
  await world.settled()
  return receipt
}

const hyphens = (words: Record<string, string>) => ({ ...words, toolName: words.toolName?.replaceAll("-", "_") ?? "" })

async function usageOf(client: TestClient): Promise<unknown> {
  const answers = ["end_user_ref", "space", "model", "key", "day"].map((grouping) =>
    readJson(client.call("GET", `/v1/usage?group_by=${grouping}&limit=100`)),
  )
  return Promise.all(answers)
}

describe("DELETE /v1/end-users/{ref}", () => {
  test("An erasure leaves none of the end user's texts and files anywhere, and every amount unchanged", async () => {
    const { all, created } = await account()
    const space = await spaceOf(created)
    const files = createFileClient(world, created)
    const shared = await files.add(space, "?name=shared.txt", "everybody's")
    const [jane, bob, twin, rehearsed] = ["jane", "bob", "twin", "rehearsed"].map(canariesOf) as [
      ReturnType<typeof canariesOf>,
      ReturnType<typeof canariesOf>,
      ReturnType<typeof canariesOf>,
      ReturnType<typeof canariesOf>,
    ]
    const theirs = await liveFully(world, created, { space, ref: REF, words: jane, shared: shared.file_id })
    await liveFully(world, created, { space, ref: "bob", words: bob, shared: shared.file_id })
    // The same reference in another account or among test data is a different end user.
    const other = await account()
    await liveFully(world, other.created, { space: await spaceOf(other.created), ref: REF, words: twin })
    const testKey = await world.makeKey(created.userId, { scope: "all", test: true })
    const test = world.createClient(created.userId, testKey.value)
    await liveFully(world, test, { space: await spaceOf(test), ref: REF, words: rehearsed })

    expect((await all.call("PUT", `${at()}/profile`, { profile: { name: "Jane" } })).status).toBe(200)
    const everywhere = await searchEverywhere(world, hyphens(jane))
    expect(
      Object.keys(hyphens(jane)).filter((place) => !everywhere[place]),
      "the search finds each word",
    ).toEqual([])
    const others = async () =>
      Promise.all([bob, twin, rehearsed].map((words) => searchEverywhere(world, hyphens(words))))
    const before = {
      amounts: await amountsOf(world, created.userId),
      usage: await usageOf(all),
      others: await others(),
    }

    const receipt = await erase(all)
    expect(await searchEverywhere(world, hyphens(jane))).toEqual({})
    expect(await amountsOf(world, created.userId)).toEqual(before.amounts)
    expect(await usageOf(all)).toEqual(before.usage)
    expect(await others(), "no other end user lost data").toEqual(before.others)
    await expectPromises(world, created.userId)
    for (const id of theirs.turnIds) expect(await keysOf(world, `turns/${id}/`)).toEqual([])

    const [, endUser] = await readJson(all.call("GET", at()))
    expect(await readJson(all.call("GET", `${at()}/profile`))).toMatchObject([200, { profile: {} }])
    expect(receipt).toEqual({
      erasure_id: expect.stringMatching(/^era_/),
      end_user_ref: REF,
      state: "erased",
      requested_at: world.clock.now().toISOString(),
      erased_at: world.clock.now().toISOString(),
      turns: 6,
      steps: expect.any(Number),
      events: expect.any(Number),
      files: 5,
      conversations: 2,
      tasks: 1,
      profile: true,
      kept: { turns: 6, billed_usd: endUser.billed_usd },
    })
    for (const count of ["steps", "events"]) expect(receipt[count]).toBeGreaterThan(8)
    expect(await readJson(all.call("GET", `/v1/erasures/${receipt.erasure_id}`))).toEqual([200, receipt])
    const nothing = { turns: 0, steps: 0, events: 0, files: 0, conversations: 0, tasks: 0 }
    expect(await erase(all)).toMatchObject({ ...nothing, state: "erased", kept: receipt.kept })

    const turn = await created.getTurn(theirs.turnIds[0] as string)
    expect(turn).toMatchObject({ text: "", result: null, metadata: {}, files: [], outputs: [], state: "done" })
    expect((await files.download(theirs.upload)).status).toBe(404)
    expect(await (await files.download(shared.file_id)).text()).toBe("everybody's")
    expect((await created.call("GET", `/v1/turns/${turn.turn_id}/events`)).status).toBe(200)

    // The shared file is deleted with its last user.
    await erase(all, "bob")
    expect((await files.download(shared.file_id)).status).toBe(404)
    expect(await searchEverywhere(world, hyphens(bob))).toEqual({})
    await erase(test)
    expect(await searchEverywhere(world, hyphens(rehearsed))).toEqual({})
    expect(Object.keys(await searchEverywhere(world, hyphens(twin))).sort()).toEqual(Object.keys(hyphens(twin)).sort())
  })

  test("An erasure cancels queued and running turns, and erases them when they have ended", async () => {
    const { all, created } = await account()
    const space = await spaceOf(created)
    const words = canariesOf("running")
    const send = async (text: string, body: object = {}) =>
      turnOf(await created.sendTurn({ space, end_user_ref: REF, text, ...body }))
    const script = `[think 5000 ms]\n[write ${words.madeName}.txt ${words.madeBytes}]\n[call lookup_order {"id":"${words.toolInput}"}]\n${words.text}`
    const running = await send(script)
    const work = world.drain()
    await world.clock.sleeping(1, 5000)
    const queued = [await send(words.queued), await send(words.text, { conversation: words.conversation })]
    const bob = await turnOf(await created.sendTurn({ space, end_user_ref: "bob", text: "hello" }))

    const receipt = await erase(all)
    expect(receipt).toMatchObject({ state: "erasing", erased_at: null, turns: 2 })
    for (const { turn_id } of queued) {
      expect(await created.getTurn(turn_id)).toMatchObject({
        state: "cancelled",
        status_reason: "end_user_erased",
        text: "",
      })
    }
    await expectBooks(world, created.userId)
    // A turn that arrives afterwards starts without history, and is kept.
    await world.advance(1)
    const later = await send("after all")
    expect(later.conversation).not.toBe(running.conversation)
    await world.advance(5000)
    await work
    await world.drain()
    expect(await created.getTurn(running.turn_id)).toMatchObject({
      state: "cancelled",
      status_reason: "end_user_erased",
    })
    expect(Object.keys(await searchEverywhere(world, words))).not.toEqual([])
    const amounts = await amountsOf(world, created.userId)
    await world.advance(60_000)
    await world.sweep()
    expect(await searchEverywhere(world, words)).toEqual({})
    expect(await amountsOf(world, created.userId)).toEqual(amounts)
    const [, done] = await readJson(all.call("GET", `/v1/erasures/${receipt.erasure_id}`))
    expect(done).toMatchObject({ state: "erased", turns: 3, erased_at: world.clock.now().toISOString() })
    await world.advance(5000)
    await world.drain()
    expect(await created.getTurn(later.turn_id)).toMatchObject({
      state: "done",
      text: "after all",
      result: "You said: after all",
    })
    expect((await created.getTurn(bob.turn_id)).state).toBe("done")

    // A worker that was presumed dead stores an object, and a late statement inserts a turn.
    await world.bucket.put(`turns/${running.turn_id}/0.1`, words.madeBytes)
    await world.sql("update turns set created_at = $2, text = $3 where turn_id = $1", [
      later.turn_id,
      receipt.requested_at,
      words.text,
    ])
    await world.advance(600_000)
    await world.sweep()
    expect(await searchEverywhere(world, words)).toEqual({})
    const [left] = await world.sql<{ objects: number; open: number }>(
      `select (select count(*) from erased_objects)::int as objects,
         (select count(*) from erasures where checked_at is null and user_id = $1)::int as open`,
      [created.userId],
    )
    expect(left?.open).toBe(0)
  })

  test("The key of an erased turn returns no other turn, and its conversation has no history", async () => {
    const { all, created } = await account()
    const space = await created.space()
    const body = { space, end_user_ref: REF, text: "secret" }
    const sent = await turnOf(await created.sendTurn(body, "key-1"))
    await world.drain()
    await erase(all)
    const [status, refused] = await readJson(created.sendTurn(body, "key-1"))
    expect([status, (refused.error as { code: string }).code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"])
    const again = await created.runTurn({ ...body, conversation: sent.conversation, text: "again" })
    expect(again.result, "no earlier messages").toBe("You said: again")
    expect((await created.runTurn({ ...body, text: "anew" })).conversation).not.toBe(sent.conversation)
  })

  test("A file that another end user's agent made, or that another user sent too, is kept", async () => {
    const { all, created } = await account()
    const space = await created.space()
    const files = createFileClient(world, created)
    const bobs = await created.runTurn({ space, end_user_ref: "bob", text: "[write bob.txt bob's]" })
    const made = bobs.outputs[0]?.file_id as string
    const upload = await files.add(space, "?name=u.txt", "both")
    await created.runTurn({ space, end_user_ref: REF, text: "a", files: [made, upload.file_id] })
    const janes = await created.runTurn({ space, end_user_ref: REF, text: "[write jane.txt jane's]" })
    const result = janes.outputs[0]?.file_id as string
    await created.runTurn({ space, end_user_ref: "bob", text: "b", files: [upload.file_id, result] })
    expect(await erase(all)).toMatchObject({ files: 1 })
    expect((await files.download(made)).status).toBe(200)
    expect((await files.download(upload.file_id)).status).toBe(200)
    expect(
      (await files.download(result)).status,
      "the end user's result is deleted, also if it was shown to others",
    ).toBe(404)
  })

  test("An erasure needs a key of the whole account and a known end user", async () => {
    const { all, created } = await account()
    const other = await account()
    const space = await created.space()
    await created.runTurn({ space, end_user_ref: REF })
    const errorOf = async (response: Promise<Response>) => {
      const [status, body] = await readJson(response)
      return [status, (body.error as { code: string }).code]
    }
    expect(await errorOf(created.call("DELETE", at()))).toEqual([403, "SCOPE_DENIED"])
    expect(await errorOf(other.all.call("DELETE", at()))).toEqual([404, "NOT_FOUND"])
    expect(await errorOf(all.call("DELETE", at("nobody")))).toEqual([404, "NOT_FOUND"])
    expect((await world.sql("select 1 from erasures where user_id = $1", [created.userId])).length).toBe(0)
    const { erasure_id } = await erase(all)
    expect(await errorOf(created.call("GET", `/v1/erasures/${erasure_id}`))).toEqual([404, "NOT_FOUND"])
    expect(await errorOf(other.all.call("GET", `/v1/erasures/${erasure_id}`))).toEqual([404, "NOT_FOUND"])
  })
})

test("An erasure of more turns than one request can process is continued by the sweeper", async () => {
  const { all, created } = await account()
  const { turn_id } = await created.runTurn({ space: await created.space(), end_user_ref: REF, text: "canary-many" })
  const perRequest = ERASURE_POLICY.turnsPerStatement * ERASURE_POLICY.roundsOfRequest
  const copies = perRequest + 500
  await world.sql(
    `with made as (
       insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
         request_hash, text, model, state, result, hold_credit_micros, held_credit_micros, created_at, started_at, finished_at, price_version)
       select 'turn_z_many_' || n, user_id, key_id, space_id, conversation_id, position + n, test, end_user_ref, 'copy ' || n,
         '', 'canary-many', model, 'done', 'canary-many', 0, 0, created_at, started_at, finished_at, price_version
       from turns, generate_series(1, $2::int) n where turn_id = $1 returning turn_id, created_at
     ) insert into turn_events (turn_id, seq, event_id, type, data, created_at)
     select turn_id, n, 'evt_' || turn_id || n, 'text.delta', '{"step": 0, "text": "canary-many"}', created_at
     from made, generate_series(1, 5) n`,
    [turn_id, copies],
  )
  const receipt = await erase(all)
  expect(receipt).toMatchObject({ state: "erasing", turns: perRequest })
  await world.sweep()
  const [, done] = await readJson(all.call("GET", `/v1/erasures/${receipt.erasure_id}`))
  expect(done).toMatchObject({ state: "erased", turns: copies + 1 })
  expect(await searchEverywhere(world, { many: "canary-many" })).toEqual({})
})
