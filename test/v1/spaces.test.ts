import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ENDING_POLICY } from "../../src/ending/causes.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { readJson } from "../harness/answers.ts"
import { cancelUntilAnswered, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { versionOf } from "../harness/space-config.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("PATCH /v1/spaces/{id}", () => {
  test("An edit changes the fields that it names and keeps the others", async () => {
    const client = await world.createAccount()
    const space = await client.space({ title: "Old", metadata: { a: "1", b: "2" }, model: "rehearsal/standard" })
    await world.advance(1000)
    const patch = (body: object) => readJson(client.call("PATCH", `/v1/spaces/${space}`, body))
    const [status, titled] = await patch({ title: "  New " })
    expect(status).toBe(200)
    expect(titled).toMatchObject({ title: "New", metadata: { a: "1", b: "2" }, model: "rehearsal/standard" })
    expect(titled.config_version, "a title is not part of the configuration").toBe(1)
    expect(titled.updated_at).not.toBe(titled.created_at)
    expect((await patch({ metadata: { c: "3" } }))[1]).toMatchObject({ title: "New", metadata: { c: "3" } })
    expect((await patch({ model: null }))[1]).toMatchObject({ model: null, config_version: 2 })
    expect((await patch({ model: null }))[1]).toMatchObject({ model: null, config_version: 2 })
    expect((await patch({ model: "rehearsal/standard" }))[1]).toMatchObject({ config_version: 3 })
    const [, versions] = await readJson(client.call("GET", `/v1/spaces/${space}/versions`))
    expect((versions.data as { change: string }[]).map(({ change }) => change)).toEqual(["model", "model", "created"])
    const before = await readJson(client.call("GET", `/v1/spaces/${space}`))
    await world.advance(1000)
    expect(await patch({})).toEqual(before)
    expect(await patch({ title: "New", metadata: { c: "3" } }), "the configuration is unchanged").toEqual(before)
  })

  test("A wrong edit is refused and changes nothing", async () => {
    const client = await world.createAccount()
    const other = await world.createAccount()
    const space = await client.space()
    const before = await readJson(client.call("GET", `/v1/spaces/${space}`))
    for (const body of [{ title: " " }, { title: null }, { model: "no/such" }, { metadata: null }, { manifest: {} }]) {
      const [status] = await readJson(client.call("PATCH", `/v1/spaces/${space}`, { ...body }))
      expect(status, JSON.stringify(body)).toBe(422)
    }
    expect((await other.call("PATCH", `/v1/spaces/${space}`, { title: "x" })).status).toBe(404)
    expect((await other.call("DELETE", `/v1/spaces/${space}`)).status).toBe(404)
    expect(await readJson(client.call("GET", `/v1/spaces/${space}`))).toEqual(before)
  })
})

describe("DELETE /v1/spaces/{id}", () => {
  test("Archiving ends the space's turns, refuses new turns, and keeps everything readable", async () => {
    // A turn that cannot run at once waits.
    world.rebind({ TURN_SLOTS: "1" })
    const client = await world.createAccount()
    const space = await client.space()
    const elsewhere = await turnOf(await client.sendTurn({ space: await client.space() }))
    const running = await turnOf(await client.sendTurn({ space, text: "[think 5000 ms]\n[steps 3]" }))
    const work = world.drain()
    await world.clock.sleeping(1, 5000)
    const queued = [
      await turnOf(await client.sendTurn({ space, text: "behind it" })),
      await turnOf(await client.sendTurn({ space, end_user_ref: "other", conversation: "x" })),
    ]
    const [status, archived] = await readJson(client.call("DELETE", `/v1/spaces/${space}`))
    expect([status, archived.archived]).toEqual([200, true])
    for (const { turn_id } of queued) {
      expect(await client.getTurn(turn_id)).toMatchObject({ state: "cancelled", status_reason: "space_archived" })
    }
    await expectBooks(world, client.userId)
    expect(await client.getTurn(running.turn_id)).toMatchObject({ state: "running" })
    await world.advance(5000)
    await work
    expect(await client.getTurn(running.turn_id)).toMatchObject({
      state: "cancelled",
      status_reason: "space_archived",
      usage: { model_calls: 1 },
    })
    await expectPromises(world, client.userId)
    expect((await client.getTurn(elsewhere.turn_id)).state).toBe("done")
    world.rebind({ TURN_SLOTS: undefined })

    expect(await readJson(client.call("DELETE", `/v1/spaces/${space}`))).toEqual([200, archived])
    expect(await readJson(client.call("GET", `/v1/spaces/${space}`))).toEqual([200, archived])
    const sent = await client.sendTurn({ space })
    expect([sent.status, await sent.json()]).toMatchObject([
      409,
      { error: { code: "SPACE_ARCHIVED", param: "space", retryable: false } },
    ])
    expect((await client.call("PATCH", `/v1/spaces/${space}`, { title: "x" })).status).toBe(409)
    expect((await client.call("PUT", `/v1/spaces/${space}/manifest`, {})).status).toBe(409)
    expect((await client.call("GET", `/v1/turns?space=${space}`)).status).toBe(200)
  })

  test("Archiving ends more turns than one request can process, and turns that arrive at the same moment", async () => {
    const client = await world.createAccount({ usd: 1000 })
    const space = await client.space()
    const count = TURN_POLICY.cancelBatch * ENDING_POLICY.archiveBatches + 7
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    // Many copies of the same turn, each in a separate conversation.
    await world.sql(
      `with c as (
         insert into conversations (conversation_id, space_id, end_user_ref, name, created_at)
         select 'conv_copy_' || n, t.space_id, t.end_user_ref, 'copy ' || n, t.created_at
         from turns t, generate_series(2, $2::int) n where t.turn_id = $1 returning conversation_id
       ), made as (
         insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref,
           idempotency_key, request_hash, text, model, hold_credit_micros, held_credit_micros, created_at, price_version)
         select 'turn_0000000000' || c.conversation_id, t.user_id, t.key_id, t.space_id, c.conversation_id, 1, false, t.end_user_ref,
           c.conversation_id, '', 'x', t.model, 1000, 1000, t.created_at, t.price_version from turns t, c where t.turn_id = $1 returning *
       ), open as (
         insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane)
         select turn_id, conversation_id, position, user_id, test, state, created_at + interval '1 minute', created_at, hashtext(end_user_ref) from made
       ), events as (
         insert into turn_events (turn_id, seq, event_id, type, data, created_at)
         select turn_id, 1, 'evt_' || turn_id, 'turn.queued', '{}', created_at from made
       ), held as (
         update wallets set held_credit_micros = held_credit_micros + 1000 * ($2::int - 1) where user_id = $3
       ) select 1`,
      [turn_id, count, client.userId],
    )
    expect((await client.call("DELETE", `/v1/spaces/${space}`)).status).toBe(200)
    const open = async () =>
      (await world.sql("select 1 from turns where user_id = $1 and state = 'queued'", [client.userId])).length
    expect(await open()).toBe(7)
    await world.sweep()
    expect(await open()).toBe(0)
    await expectPromises(world, client.userId)

    // A turn whose statement read the space before it was archived and commits afterwards.
    const late = await client.space()
    const sent = await turnOf(await client.sendTurn({ space: late }))
    await world.sql("update spaces set archived_at = $2, ending_turns = true where slug = $1", [
      late,
      world.clock.now().toISOString(),
    ])
    await world.sweep()
    expect((await client.getTurn(sent.turn_id)).status_reason).toBe("space_archived")
    await world.advance(600_000)
    await world.sweep()
    const left = await world.sql("select 1 from spaces where user_id = $1 and ending_turns", [client.userId])
    expect(left).toEqual([])
  })

  test("Archiving survives a failure at every I/O", async () => {
    await survivesEveryFailure(world, {
      name: "archive of a space with a running and a queued turn",
      async act(client, space) {
        await sendUntilAccepted(client, { space, text: "[think 5000 ms]\n[steps 3]" })
        const second = await sendUntilAccepted(client, { space, text: "second" })
        const running = world.drain()
        await Promise.race([running, world.clock.sleeping(1, 5000)])
        for (let tries = 0; (await client.call("DELETE", `/v1/spaces/${space}`)).status !== 200; tries++) {
          expect(tries).toBeLessThan(3)
        }
        await cancelUntilAnswered(client, second)
        await world.advance(5000)
        await running
      },
      check(turns) {
        expect(turns.map(({ state }) => state)).toEqual(["cancelled", "cancelled"])
      },
    })
  })
})

describe("GET /v1/spaces", () => {
  test("The list filters, has pages, and shows only visible spaces", async () => {
    const client = await world.createAccount()
    const ids: string[] = []
    for (const title of ["Support A", "support b", "Sales", "Über 100%_\\ SUPPORT", "Old"]) {
      await world.advance(60_000)
      ids.unshift(await client.space({ title, manifest: { instructions: title } }))
    }
    const [archived] = ids
    await client.call("DELETE", `/v1/spaces/${archived}`)
    const list = async (query = "", by = client) => {
      const [status, page] = await readJson(by.call("GET", `/v1/spaces${query}`))
      expect(status, query).toBe(200)
      return page as unknown as { data: { space_id: string }[]; has_more: boolean; next_cursor: string | null }
    }
    const idsOf = async (query = "", by = client) => (await list(query, by)).data.map(({ space_id }) => space_id)
    expect(await idsOf()).toEqual(ids.slice(1))
    expect(await idsOf("?archived=true")).toEqual([archived])
    expect(await idsOf("?archived=all")).toEqual(ids)
    expect(await idsOf("?q=SUPPort")).toEqual([ids[1], ids[3], ids[4]])
    expect(await idsOf(`?q=${encodeURIComponent("100%_\\")}`)).toEqual([ids[1]])
    expect(await idsOf("?q=%25")).toEqual([ids[1]])
    const [, sales] = await readJson(client.call("GET", `/v1/spaces/${ids[2]}`))
    expect(await idsOf(`?created_after=${sales.created_at}`)).toEqual(ids.slice(1, 3))
    expect(await idsOf(`?created_before=${sales.created_at}`)).toEqual(ids.slice(3))
    expect((await list("?limit=1")).data[0]).toEqual((await readJson(client.call("GET", `/v1/spaces/${ids[1]}`)))[1])

    const seen: string[] = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page = await list(`?archived=all&limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ space_id }) => space_id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(ids)
    const { next_cursor } = await list("?limit=1")
    expect((await client.call("GET", `/v1/spaces?limit=1&q=x&cursor=${next_cursor}`)).status).toBe(422)
    expect((await client.call("GET", "/v1/spaces?archived=maybe")).status).toBe(422)

    const created = world.createClient(client.userId, (await world.makeKey(client.userId)).value)
    const all = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
    const test = world.createClient(
      client.userId,
      (await world.makeKey(client.userId, { scope: "all", test: true })).value,
    )
    const own = await created.space()
    expect(await idsOf("", created)).toEqual([own])
    expect(await idsOf("", all)).toEqual([own, ...ids.slice(1)])
    expect(await idsOf("", test)).toEqual([])
    expect(await versionOf(all, own)).toBe(1)
  })

  test("A page of large spaces ends before the database's answer is too large", async () => {
    const client = await world.createAccount()
    for (let made = 0; made < 8; made++) await client.space({ manifest: { instructions: "語\n".repeat(50_000) } })
    const seen: unknown[] = []
    let cursor: string | null = ""
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(8)
      const [status, page] = await readJson(client.call("GET", `/v1/spaces?limit=100${cursor && `&cursor=${cursor}`}`))
      expect(status).toBe(200)
      seen.push(...(page.data as unknown[]))
      cursor = page.next_cursor as string | null
    }
    expect(seen).toHaveLength(8)
  })
})
