import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { SETTINGS } from "../../src/settings/registry.ts"
import { reconcileAsAdmin } from "../harness/books.ts"
import { CHEAP, CHEAP_USD } from "../harness/caps.ts"
import { BARE } from "../harness/customer.ts"
import { EMAIL_HOOK, emailsTo, noticesOf, receiveEmails } from "../harness/notices.ts"
import { expectPromises } from "../harness/promises.ts"
import { balanceOf, CHAT, type Session, type Shared, SPACES, shareSpace, WORKSPACES } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let shared: Shared
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
  shared = await shareSpace(world, "sharing")
})
afterAll(() => world.close())

const sharingOf = (space: string) => `${SPACES}/${space}/sharing`
const limitOf = (space: string) => `${SPACES}/${space}/members-limit`
/** The amount of this many cheap turns, in USD with at most 7 decimals. */
const cheap = (turns: number) => Math.round(turns * CHEAP_USD * 1e7) / 1e7

/** A shared space without tools, whose turns need little credit. */
async function shareBare(name: string) {
  const estate = await shareSpace(world, name)
  await estate.owner.json("PUT", `${SPACES}/${estate.space}/manifest`, BARE.manifest)
  return estate
}

const send = (browser: Session, space: string, text = CHEAP, more: object = {}) =>
  browser.json("POST", CHAT, { space, text, ...more })

describe("The owner of a shared space", () => {
  test("The owner sees the people with whom the space is shared, and other members do not", async () => {
    const { owner, people, space, workspaceId, stranger } = shared
    const [status, sharing] = await owner.json("GET", sharingOf(space))
    expect([status, sharing]).toMatchObject([
      200,
      {
        space_id: space,
        workspace: { workspace_id: workspaceId },
        people_count: 5,
        daily_usd: null,
        cap: { cap: "members_daily", source: "default", limit_usd: 5, spent_usd: 0 },
      },
    ])
    const roles = sharing.people.map((one: { user_id: number; role: string }) => [one.user_id, one.role])
    expect(Object.fromEntries(roles)).toEqual({
      [people.owner.userId]: "admin",
      [people.admin.userId]: "admin",
      [people.member.userId]: "member",
      [people.team.userId]: "member",
      [people.guest.userId]: "member",
    })
    expect((await owner.json("GET", "/api/account/shares"))[1]).toMatchObject({
      total: 1,
      items: [{ space_id: space, people_count: 5, workspace: { workspace_id: workspaceId } }],
    })
    for (const [method, path, body] of [
      ["GET", sharingOf(space), undefined],
      ["DELETE", sharingOf(space), undefined],
      ["PUT", limitOf(space), { daily_usd: 9 }],
    ] as const) {
      expect(await people.admin.json(method, path, body)).toMatchObject([403, { code: "SPACE_ROLE_REQUIRED" }])
      expect(await stranger.json(method, path, body)).toMatchObject([404, { code: "NOT_FOUND" }])
    }
    expect((await people.admin.json("GET", "/api/account/shares"))[1].total).toBe(0)
  })

  test("The owner is notified once, in the feed and by email, of each person who gains access", async () => {
    const { admin, client, space, workspaceId, teamId } = shared
    const email = `owner-${client.userId}@people.test`
    await world.sql("update users set email = $2 where user_id = $1", [client.userId, email])
    const [first, second] = [
      await createUser(world.sql, { name: "First" }),
      await createUser(world.sql, { name: "Second" }),
    ]
    const told = async () =>
      (await noticesOf(world, client.userId)).filter(({ type }) => type === "space.shared").map(({ data }) => data)
    const before = (await told()).length
    emails.splice(0)
    await world.advance(1)
    await admin.json("POST", `${WORKSPACES}/${workspaceId}/members`, { user_id: first })
    const [, team] = await admin.json("GET", `/api/admin/teams/${teamId}`)
    const members = team.members.map(({ user_id, role }: { user_id: number; role: string }) => ({ user_id, role }))
    await world.advance(1)
    await admin.json("PUT", `/api/admin/teams/${teamId}`, { members: [...members, { user_id: second }] })
    await world.advance(1)
    await admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { name: "Renamed" })
    const people = [[{ user_id: first, name: "First" }], [{ user_id: second, name: "Second" }]]
    const news = people.map((one) => ({
      spaces: [{ space, title: "Shared" }],
      space_count: 1,
      people: one,
      people_count: 1,
    }))
    expect((await told()).slice(before)).toEqual(news)
    expect(emailsTo(emails, email)).toEqual(
      news.map((data) => ({ kind: "space_shared", data: { ...data, at: expect.any(String) } })),
    )
  })

  test("Ending the sharing takes effect at the next request and can be repeated", async () => {
    const { owner, people, space, workspaceId, admin } = await shareSpace(world, "ended")
    const [, turn] = await send(people.member, space)
    const [status, sharing] = await owner.json("DELETE", sharingOf(space))
    expect([status, sharing]).toMatchObject([200, { workspace: null, people: [], people_count: 0 }])
    for (const person of Object.values(people)) {
      expect((await person.json("GET", `${SPACES}/${space}`))[0]).toBe(404)
      expect((await send(person, space))[0]).toBe(404)
    }
    expect((await admin.json("GET", `${WORKSPACES}/${workspaceId}`))[1].spaces).toEqual([])
    const acts = () => world.sql("select 1 from audit_log where subject_id in ($1, $2)", [workspaceId, space])
    const noted = (await acts()).length
    expect((await owner.json("DELETE", sharingOf(space)))[1]).toEqual(sharing)
    expect((await acts()).length).toBe(noted)
    await world.drain()
    expect(
      (await owner.json("GET", `/api/account/turns/${turn.turn_id}`))[1].state,
      "turns that were sent before continue",
    ).toBe("done")
  })
})

describe("The daily limit of members' spend from an owner's balance", () => {
  test("The operator's setting is the limit if the owner has set none", () => {
    expect(SETTINGS.members_daily_credit_micros.default).toBe(5 * 10_000_000)
  })

  test("The limit applies to all members of a space together, and neither to the owner nor to another space", async () => {
    const { owner, people, space, client } = await shareBare("limited")
    expect((await owner.json("PUT", limitOf(space), { daily_usd: cheap(2) }))[1]).toMatchObject({
      daily_usd: cheap(2),
      cap: { source: "space", limit_usd: cheap(2) },
    })
    for (const person of [people.member, people.admin]) {
      expect((await send(person, space))[0]).toBe(202)
      await world.drain()
    }
    const refused = await people.guest.call("POST", CHAT, { space, text: CHEAP })
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      {
        code: "QUOTA_EXCEEDED",
        details: { cap: "members_daily", source: "space", limit_usd: cheap(2) },
      },
    ])
    const midnight = Math.ceil((86_400_000 - (world.clock.ms() % 86_400_000)) / 1000)
    expect(Number(refused.headers.get("retry-after"))).toBe(midnight)
    expect((await send(owner, space))[0]).toBe(202)
    await world.drain()
    const [, { cap }] = await owner.json("GET", sharingOf(space))
    expect(cap).toMatchObject({ reserved_usd: 0 })
    expect(cap.spent_usd, "without the owner's turn").toBeLessThanOrEqual(cheap(2))
    const told = (await noticesOf(world, client.userId)).filter(({ type }) => type === "cap.reached")
    expect(told.map(({ data }) => [data.cap, data.space])).toEqual(Array(3).fill(["members_daily", space]))
    expect(told.map(({ data }) => Number(data.percent)).sort((a, b) => a - b)).toEqual([50, 80, 100])
    await world.advance(midnight * 1000)
    expect((await send(people.guest, space))[0], "the next day").toBe(202)
    await world.drain()
    await expectPromises(world, client.userId)
  })

  test("A reconciliation finds and repairs a members' counter that is wrong or missing", async () => {
    const { owner, people, space, client, admin } = await shareBare("books")
    await send(people.member, space)
    await world.drain()
    const spent = async () => (await owner.json("GET", sharingOf(space)))[1].cap.spent_usd
    const right = await spent()
    expect(right).toBeGreaterThan(0)
    const wrong = [
      "update spend_counters set spent_credit_micros = spent_credit_micros + 7",
      "delete from spend_counters",
    ]
    for (const change of wrong) {
      await world.sql("update spend_counted set since = since - interval '2 days' where user_id = $1", [client.userId])
      await world.sql(`${change} where user_id = $1 and kind = 'members'`, [client.userId])
      expect(await spent(), change).not.toBe(right)
      await reconcileAsAdmin(admin)
      expect(await spent(), change).toBe(right)
    }
  })

  test("The limit caps the hold of one member's turn, however high its max_cost_usd", async () => {
    const { owner, people, space } = await shareBare("held")
    expect((await send(people.member, space, CHEAP, { max_cost_usd: 10 }))[0]).toBe(202)
    const { held_usd } = await balanceOf(owner)
    expect(held_usd).toBeGreaterThan(0)
    expect(held_usd).toBeLessThan(1)
    await world.drain()
    await owner.json("PUT", limitOf(space), { daily_usd: 0 })
    expect(await send(people.member, space)).toMatchObject([429, { details: { cap: "members_daily", left_usd: 0 } }])
  })

  test("The limit is never exceeded by concurrent turns", async () => {
    const { owner, people, space, client } = await shareBare("race")
    await owner.json("PUT", limitOf(space), { daily_usd: cheap(3) })
    const senders = Object.values(people).flatMap((person) => [person, person])
    const answers = await Promise.all(
      senders.map((person, n) => send(person, space, CHEAP, { max_cost_usd: CHEAP_USD, conversation: `c${n}` })),
    )
    const accepted = answers.filter(([status]) => status === 202)
    expect(accepted).toHaveLength(3)
    expect(answers.filter(([status]) => status === 429)).toHaveLength(senders.length - 3)
    await world.drain()
    const [, { cap }] = await owner.json("GET", sharingOf(space))
    expect(cap).toMatchObject({ limit_usd: cheap(3), reserved_usd: 0 })
    expect(cap.spent_usd).toBeLessThanOrEqual(cheap(3))
    await expectPromises(world, client.userId)
  })
})
