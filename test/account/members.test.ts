import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  balanceOf,
  CHAT,
  giveCredit,
  type Session,
  type Shared,
  SPACES,
  shareSpace,
  WORKSPACES,
} from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

const WAYS = ["owner", "admin", "member", "team", "guest"] as const

let world: World
let shared: Shared
beforeAll(async () => {
  world = await createWorld()
  shared = await shareSpace(world, "members")
})
afterAll(() => world.close())

const send = (browser: Session, space: string, body: object = {}, headers = {}) =>
  browser.json("POST", CHAT, { space, text: "hello", ...body }, headers)

async function run(browser: Session, space: string, body: object = {}): Promise<Turn> {
  const [status, turn] = await send(browser, space, body)
  expect([status, turn]).toMatchObject([202, { space }])
  await world.drain()
  return (await browser.json("GET", `${CHAT}/${turn.turn_id}`))[1]
}

describe("A space that is shared", () => {
  test.each(WAYS)("A space shared by %s is listed and readable, and shows the member's permissions", async (way) => {
    const browser = shared.people[way]
    const role = way === "owner" || way === "admin" ? "admin" : "member"
    const [, list] = await browser.json("GET", SPACES)
    expect(list).toMatchObject({
      total: 1,
      items: [{ space_id: shared.space, role, workspace_id: shared.workspaceId }],
    })
    expect((await browser.json("GET", `${SPACES}/${shared.space}`))[1]).toMatchObject({ title: "Shared", role })
    expect((await browser.json("GET", `${SPACES}?q=share`))[1].total).toBe(1)
    expect((await browser.json("GET", `${SPACES}?q=other`))[1].total).toBe(0)
    expect((await browser.json("GET", `${SPACES}?archived=archived`))[1].total).toBe(0)
    expect((await browser.json("GET", `${SPACES}?test=true`))[1].total).toBe(0)
  })

  test("A shared space appears once in a member's list, newest first and paged, and the owner's list says owner", async () => {
    const { owner, people, space } = shared
    // Ids of the same millisecond have no order.
    await world.advance(1)
    const [, mine] = await people.admin.json("POST", SPACES, { title: "Own" })
    // A space that is shared in two ways is listed once, with the stronger role.
    await world.sql(
      "insert into space_members (space_id, user_id, created_at) select space_id, $2, created_at from spaces where slug = $1",
      [space, people.admin.userId],
    )
    const [, all] = await people.admin.json("GET", SPACES)
    expect(all.items.map((one: { space_id: string; role: string }) => [one.space_id, one.role])).toEqual([
      [mine.space_id, "owner"],
      [space, "admin"],
    ])
    const [, second] = await people.admin.json("GET", `${SPACES}?limit=1&offset=1`)
    expect([second.total, second.items[0].space_id]).toEqual([2, space])
    expect((await owner.json("GET", SPACES))[1]).toMatchObject({
      total: 1,
      items: [{ space_id: space, role: "owner" }],
    })
  })

  test("A shared space runs its members' turns, and only its owner is billed", async () => {
    const { owner, people, space } = shared
    for (const way of WAYS) {
      await giveCredit(world, people[way].userId)
      const [before, own] = [await balanceOf(owner), await balanceOf(people[way])]
      const turn = await run(people[way], space, { text: "[use input=1200 cached=0 output=300]" })
      expect(turn).toMatchObject({ state: "done", end_user_ref: "", test: false })
      expect(turn.billed_cost_usd).toBeGreaterThan(0)
      const after = await balanceOf(owner)
      expect(Math.round((before.balance_usd - after.balance_usd) * 1e7)).toBe(Math.round(turn.billed_cost_usd * 1e7))
      expect(await balanceOf(people[way])).toEqual(own)
      const ledger = `/api/account/ledger?turn=${turn.turn_id}`
      expect((await people[way].json("GET", ledger))[1].total).toBe(0)
      expect((await owner.json("GET", ledger))[1]).toMatchObject({ total: 1, items: [{ reason: "space_usage" }] })
    }
    await expectPromises(world, owner.userId)
    for (const way of WAYS) expect(await expectPromises(world, people[way].userId)).toEqual([])
  })

  test("A member's turn is refused when the owner has no credit, without showing the owner's numbers", async () => {
    const poor = await shareSpace(world, "poor", { usd: 0 })
    await giveCredit(world, poor.people.member.userId)
    const [status, refused] = await send(poor.people.member, poor.space)
    expect([status, refused]).toEqual([
      402,
      { code: "INSUFFICIENT_CREDITS", detail: expect.stringContaining("owner"), details: {} },
    ])
    expect((await balanceOf(poor.people.member)).held_usd).toBe(0)
  })

  test("A shared space shows its spend by day and by person to all its members", async () => {
    const own = await shareSpace(world, "spend")
    const { owner, people, space, client, stranger } = own
    const key = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
    const turns = {
      owner: await run(owner, space),
      member: await run(people.member, space, { text: "[use input=5000 cached=0 output=900]" }),
      key: await key.runTurn({ space }),
    }
    await run(owner, (await owner.json("POST", SPACES, { title: "Elsewhere" }))[1].space_id)
    const spent = (turn: Turn) => ({ turns: 1, billed_usd: turn.billed_cost_usd })
    const total = Math.round(Object.values(turns).reduce((sum, turn) => sum + turn.billed_cost_usd, 0) * 1e7) / 1e7
    for (const browser of [owner, people.member, people.team, people.guest]) {
      const [, spend] = await browser.json("GET", `${SPACES}/${space}/spend?days=7`)
      expect(spend).toEqual({
        space_id: space,
        days: 7,
        turns: 3,
        billed_usd: total,
        series: [{ date: world.clock.now().toISOString().slice(0, 10), turns: 3, billed_usd: total }],
        people: [
          { user_id: people.member.userId, name: "Somebody", ...spent(turns.member) },
          { user_id: owner.userId, name: null, ...spent(turns.owner) },
        ],
        keys: spent(turns.key),
      })
    }
    expect((await stranger.json("GET", `${SPACES}/${space}/spend`))[0]).toBe(404)
    expect((await owner.json("GET", `${SPACES}/${space}/spend?days=366`))[0]).toBe(422)
    expect((await people.member.json("GET", "/api/account/ledger"))[1].total, "no entry for members").toBe(0)
  })
})

describe("A member's conversation", () => {
  test("A member's conversation is private: no other member reads or continues it, but the paying owner reads it", async () => {
    const { owner, people, space } = await shareSpace(world, "conversations")
    const first = {
      owner: await run(owner, space),
      member: await run(people.member, space),
      team: await run(people.team, space),
    }
    expect(new Set(Object.values(first).map(({ conversation }) => conversation)).size).toBe(3)
    for (const turn of Object.values(first)) expect(turn.result).toBe("You said: hello")
    expect((await run(people.member, space)).result).toContain("(after 2 earlier messages)")
    expect((await run(people.member, space, { conversation: "other" })).result).toBe("You said: hello")
    expect((await run(people.team, space, { conversation: "other" })).result).toBe("You said: hello")
    const again = await run(people.member, space, { conversation: first.member.conversation })
    expect(again.result).toContain("(after 4 earlier messages)")
    // With its id, neither the owner nor another member can continue it.
    for (const [browser, conversation] of [
      [owner, first.member.conversation],
      [people.team, first.member.conversation],
      [people.member, first.owner.conversation],
      [people.member, first.team.conversation],
      [people.member, `conv_${people.team.userId} default`],
      [owner, `conv_${people.team.userId} default`],
    ] as const) {
      const [status, refused] = await send(browser, space, { conversation })
      expect([status, refused.code]).toEqual([404, "NOT_FOUND"])
    }
    for (const [browser, turn] of [
      [people.team, first.member],
      [people.member, first.owner],
      [people.owner, first.member],
    ] as const) {
      for (const path of [CHAT, "/api/account/turns"]) {
        expect((await browser.json("GET", `${path}/${turn.turn_id}`))[0]).toBe(404)
      }
      expect((await browser.json("GET", `/api/account/turns/${turn.turn_id}/events`))[0]).toBe(404)
      expect((await browser.json("POST", `/api/account/turns/${turn.turn_id}/cancel`))[0]).toBe(404)
    }
    expect((await owner.json("GET", `/api/account/turns/${first.member.turn_id}`))[1].result).toBe("You said: hello")
    expect((await owner.json("GET", `/api/account/turns?space=${space}`))[1].total).toBe(7)
    expect((await owner.json("GET", `${CHAT}?space=${space}`))[1].total, "only the owner's own turns").toBe(1)
    expect((await people.member.json("GET", `${CHAT}?space=${space}`))[1].total).toBe(4)
    expect((await people.member.json("GET", "/api/account/turns"))[1].total, "no turn of their account").toBe(0)
  })

  test("A member can wait for, follow and cancel their own turn", async () => {
    const { people, space, owner } = await shareSpace(world, "waiting")
    const [, { turn_id }] = await send(people.member, space, { text: "[reply done]" })
    const waiting = people.member.json("GET", `${CHAT}/${turn_id}?wait=30`)
    await world.clock.sleeping(1)
    await world.drain()
    await world.advance(50)
    expect((await waiting)[1]).toMatchObject({ state: "done", result: "done" })
    const [, events] = await people.member.json("GET", `/api/account/turns/${turn_id}/events`)
    expect(events.items.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["turn.queued", "turn.done"]),
    )
    const [, queued] = await send(people.member, space)
    expect((await people.member.json("POST", `/api/account/turns/${queued.turn_id}/cancel`))[1].state).toBe("cancelled")
    await world.drain()
    await expectPromises(world, owner.userId)
  })

  test("Each member has separate Idempotency-Keys", async () => {
    const { people, space, owner } = await shareSpace(world, "keys")
    const key = { "idempotency-key": "one" }
    const ids = []
    for (const browser of [owner, people.member, people.team]) {
      const [, first] = await send(browser, space, {}, key)
      const again = await browser.call("POST", CHAT, { space, text: "hello" }, key)
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
      expect(((await again.json()) as Turn).turn_id).toBe(first.turn_id)
      expect((await send(browser, space, { text: "other" }, key))[0]).toBe(422)
      ids.push(first.turn_id)
    }
    expect(new Set(ids).size).toBe(3)
    await world.drain()
  })

  test("A member's chat list is newest first, paged, and filters by state and space", async () => {
    const { people, space } = await shareSpace(world, "lists")
    const browser = people.member
    await giveCredit(world, browser.userId)
    const [, { space_id: mine }] = await browser.json("POST", SPACES, { title: "Mine" })
    const sent: string[] = []
    for (const target of [mine, space, mine, space]) {
      await world.advance(10)
      sent.unshift((await run(browser, target)).turn_id)
    }
    await world.advance(10)
    const [, open] = await send(browser, space)
    const idsOf = async (query: string) => {
      const [, list] = await browser.json("GET", `${CHAT}?${query}`)
      return [list.total, list.items.map((turn: Turn) => turn.turn_id)]
    }
    expect(await idsOf("")).toEqual([5, [open.turn_id, ...sent]])
    expect(await idsOf("limit=2&offset=2")).toEqual([5, sent.slice(1, 3)])
    expect(await idsOf(`space=${space}`)).toEqual([3, [open.turn_id, sent[0], sent[2]]])
    expect(await idsOf(`space=${mine}`)).toEqual([2, [sent[1], sent[3]]])
    expect(await idsOf("state=queued")).toEqual([1, [open.turn_id]])
    expect(await idsOf("state=done&limit=3")).toEqual([4, sent.slice(0, 3)])
    expect(await idsOf("test=true")).toEqual([0, []])
    await world.drain()
  })
})

describe("Changes to a shared space", () => {
  test("A shared space can be changed by its owner and by owners and admins of its workspace", async () => {
    const { owner, people, space, stranger } = await shareSpace(world, "changes")
    const path = `${SPACES}/${space}`
    for (const [who, browser] of Object.entries({ owner, w: people.owner, a: people.admin })) {
      expect((await browser.json("PATCH", path, { title: `By ${who}` }))[1]).toMatchObject({ title: `By ${who}` })
      const manifest = { instructions: `As ${who} says.` }
      expect((await browser.json("PUT", `${path}/manifest`, manifest))[1]).toMatchObject(manifest)
    }
    const before = await owner.json("GET", path)
    for (const browser of [people.member, people.team, people.guest]) {
      for (const [method, at, body] of [
        ["PATCH", path, { title: "No" }],
        ["PUT", `${path}/manifest`, { instructions: "No." }],
        ["DELETE", path, undefined],
      ] as const) {
        expect(await browser.json(method, at, body)).toMatchObject([403, { code: "SPACE_ROLE_REQUIRED" }])
        expect(await stranger.json(method, at, body)).toMatchObject([404, { code: "NOT_FOUND" }])
      }
    }
    expect(await owner.json("GET", path)).toEqual(before)
    expect((await people.admin.json("DELETE", path))[1]).toMatchObject({ archived: true })
    expect((await people.owner.json("DELETE", path))[0], "again").toBe(200)
    expect(await people.owner.json("PATCH", path, { title: "Late" })).toMatchObject([409, { code: "SPACE_ARCHIVED" }])
    expect(await send(people.member, space)).toMatchObject([409, { code: "SPACE_ARCHIVED" }])
    expect((await people.member.json("GET", path))[1]).toMatchObject({ archived: true, role: "member" })
    expect((await people.member.json("GET", SPACES))[1].total).toBe(0)
    expect((await people.member.json("GET", `${SPACES}?archived=archived`))[1].total).toBe(1)
  })

  test("An admin of the service cannot change a shared space by that role alone", async () => {
    expect((await shared.admin.json("GET", `${SPACES}/${shared.space}`))[0]).toBe(404)
    expect((await send(shared.admin, shared.space))[0]).toBe(404)
    expect((await shared.admin.json("GET", SPACES))[1].total).toBe(0)
  })
})

test("A workspace lists its spaces by mode", async () => {
  const { admin, owner, people, space, workspaceId } = await shareSpace(world, "modes", { usd: 0 })
  const [, { space_id: tests }] = await owner.json("POST", `${SPACES}?test=true`, { title: "Tests" })
  await admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { spaces: [space, tests] })
  expect((await people.member.json("GET", `${SPACES}?test=true`))[1]).toMatchObject({
    total: 1,
    items: [{ space_id: tests }],
  })
  expect((await people.member.json("GET", `${SPACES}/${tests}`))[0]).toBe(404)
  expect((await people.member.json("POST", CHAT, { space: tests, text: "x" }))[0]).toBe(404)
  const [status, turn] = await people.member.json("POST", `${CHAT}?test=true`, { space: tests, text: "hello" })
  expect([status, turn.test]).toEqual([202, true])
  await world.drain()
  expect((await people.member.json("GET", `${CHAT}/${turn.turn_id}?test=true`))[1]).toMatchObject({
    state: "done",
    billed_cost_usd: 0,
  })
  expect((await people.member.json("GET", `${CHAT}/${turn.turn_id}`))[0]).toBe(404)
})
