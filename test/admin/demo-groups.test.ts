import { afterAll, beforeAll, expect, test } from "vitest"
import { seedGroups } from "../../src/ops/seed.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const DEMO = "/api/admin/workspaces/demo"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

test("The first start makes a team, a workspace and a space once and never undoes an operator's change", async () => {
  const client = await world.createAccount()
  const seed = () => seedGroups(world.sql, { apiKey: client.key, now: world.clock.now() })
  expect(await seed()).toBe(true)
  const [, made] = await admin.json("GET", DEMO)
  expect(made).toMatchObject({
    name: "Demo workspace",
    team: { name: "Support" },
    members: [{ user_id: client.userId, role: "owner" }, { role: "admin" }],
    spaces: [{ title: "Support of the demo", owner_id: client.userId }],
  })
  expect(made.team_members).toHaveLength(2)
  const [, board] = await admin.json("GET", "/api/admin/spaces/by-key/messenger:-1005550100")
  expect(board.space).toMatchObject({ title: "Support of the demo", origin: "messenger" })
  expect(board.items.map(({ role, via }: { role: string; via: string }) => [role, via])).toEqual([
    ...["owner", "admin", "member"].map((role) => [role, "registered"]),
    ["member", "board"],
  ])
  const lead = await world.signIn(made.team_members[0].user_id)
  const [status, turn] = await lead.json("POST", "/api/account/chat/turns", {
    space: made.spaces[0].space_id,
    text: "hello",
  })
  expect([status, turn.state]).toEqual([202, "queued"])
  await world.drain()

  await admin.json("PATCH", DEMO, { name: "Ours", team_id: null, spaces: [], archived: true })
  await admin.json("DELETE", `${DEMO}/members/${made.members[1].user_id}`)
  const [, changed] = await admin.json("GET", DEMO)
  expect(await seed()).toBe(false)
  expect((await admin.json("GET", DEMO))[1]).toEqual(changed)
  expect((await admin.json("GET", "/api/admin/teams"))[1].total).toBe(1)
})
