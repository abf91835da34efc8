import { afterAll, beforeAll, expect, test } from "vitest"
import { makePerson, makeTeam, makeWorkspace } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: AdminEstate
beforeAll(async () => {
  world = await createWorld()
  estate = await createAdminEstate(world, "files")
})
afterAll(() => world.close())

/** The rows of a file by column. */
async function file(path: string): Promise<Record<string, string>[]> {
  const response = await estate.admin.call("GET", path)
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
  ])
  const [names = [], ...rows] = parseCsv(await response.text())
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])))
}

test("The CSV of teams has a row for each member, and one for a team without members", async () => {
  const [ada, ben] = [await makePerson(world, "Ada"), await makePerson(world, "=Ben")]
  const members = [{ user_id: ada, role: "lead" }, { user_id: ben }]
  const full = await makeTeam(estate, { name: "Files, full", members })
  const empty = await makeTeam(estate, { name: "Files empty" })
  await makeTeam(estate, { name: "Another" })
  const rows = await file("/api/admin/teams?format=csv&q=files&limit=1")
  expect(rows).toMatchObject([
    { team_id: String(empty.team_id), name: "Files empty", member_user_id: "", role: "" },
    { team_id: String(full.team_id), name: "Files, full", member_user_id: String(ada), role: "lead" },
    { team_id: String(full.team_id), member_user_id: String(ben), member_name: "'=Ben", role: "member" },
  ])
})

test("The CSV of workspaces has a row for each member and for each member of the attached team", async () => {
  const [ada, ben] = [await makePerson(world, "Ada"), await makePerson(world, "Ben")]
  const { team_id } = await makeTeam(estate, { members: [{ user_id: ben }] })
  const members = [{ user_id: ada, role: "owner" }]
  const { workspace_id } = await makeWorkspace(estate, { name: "Files", team_id, members })
  expect(await file("/api/admin/workspaces?format=csv&q=files")).toMatchObject([
    { workspace_id, team_id: String(team_id), member_user_id: String(ada), role: "owner", via: "workspace" },
    { workspace_id, team_id: String(team_id), member_user_id: String(ben), role: "", via: "team" },
  ])
})

test("The CSV of subscriptions has the filters and the order of the list", async () => {
  const [ada, ben] = [await makePerson(world, "Ada"), await makePerson(world, "Ben")]
  await estate.admin.json("PUT", "/api/admin/settings", { key: "plans", value: { basic: { label: "Basic" } } })
  for (const user_id of [ada, ben])
    await estate.admin.json("POST", "/api/admin/subscriptions", { user_id, plan: "basic", note: "=1+1" })
  const rows = await file("/api/admin/subscriptions?format=csv&plan=basic")
  expect(rows).toMatchObject([
    { user_id: String(ben), plan: "basic", note: "'=1+1", deactivated_at: "" },
    { user_id: String(ada), plan: "basic" },
  ])
  expect(await file(`/api/admin/subscriptions?format=csv&user_id=${ada}`)).toHaveLength(1)
})

test("The CSV of contexts has a row for each call, and the CSV of a chat one for each person", async () => {
  const [used, unused] = [await estate.client.space(), await estate.client.space()]
  await estate.client.runTurn({ space: used, text: "[use input=500 output=5]\nhi" })
  await world.sweep()
  const sessions = await file("/api/admin/spaces/sessions?format=csv")
  expect(sessions.filter(({ slug }) => slug === used)).toMatchObject([
    { subagent: "", model: expect.stringContaining("/"), turn_id: expect.stringContaining("turn_") },
  ])
  expect(sessions.filter(({ slug }) => slug === unused)).toMatchObject([{ model: "", context_tokens: "" }])
  expect(await file(`/api/admin/spaces/by-key/${used}?format=csv`)).toMatchObject([
    { user_id: String(estate.client.userId), end_user_ref: "", role: "owner", turns: "0" },
    { user_id: "", end_user_ref: "customer-1", role: "", turns: "1" },
  ])
})
