import { createUser } from "../../src/ops/seed.ts"
import type { AdminEstate, AdminFixtures } from "./admin-requests.ts"
import type { World } from "./world.ts"

type Json = { team_id: number; workspace_id: string; version: number }

export async function makeTeam(
  { admin, random }: Pick<AdminEstate, "admin" | "random">,
  body: object = {},
): Promise<Json> {
  const [status, team] = await admin.json("POST", "/api/admin/teams", { name: `Team ${random.int(1e9)}`, ...body })
  if (status !== 200) throw new Error(JSON.stringify(team))
  return team
}

export async function makeWorkspace(
  { admin, random }: Pick<AdminEstate, "admin" | "random">,
  body: object = {},
): Promise<Json> {
  const made = { workspace_id: `work-${random.int(1e9)}`, name: `Workspace ${random.int(1e9)}`, ...body }
  const [status, workspace] = await admin.json("POST", "/api/admin/workspaces", made)
  if (status !== 200) throw new Error(JSON.stringify(workspace))
  return workspace
}

/** A workspace in the form that admins read. */
export const workspaceOf = async ({ admin }: Pick<AdminEstate, "admin">, id: string) =>
  (await admin.json("GET", `/api/admin/workspaces/${id}`))[1]

/** The audit log's actions on a workspace, oldest first. */
export async function workspaceActions({ world }: Pick<AdminEstate, "world">, id: string): Promise<string[]> {
  const rows = await world.sql<{ action: string }>(
    "select action from audit_log where subject_type = 'workspace' and subject_id = $1 order by audit_id",
    [id],
  )
  return rows.map(({ action }) => action)
}

export const makePerson = (world: World, name = "Ada") => createUser(world.sql, { name })

const BOT_TOKEN = "123456789:AAcanary-canary_canary"

/** Serves the messaging platform's Bot API (getMe and setWebhook) for tokens that contain `known`. */
export function serveBotApi(world: World, known = "canary") {
  world.serve("api.telegram.org", (request) => {
    const [, token = "", method] = /^\/bot([^/]+)\/(\w+)$/.exec(new URL(request.url).pathname) ?? []
    if (method === "setWebhook" && token.includes(known)) return Response.json({ ok: true, result: true })
    if (method !== "getMe" || !token.includes(known)) {
      return Response.json({ ok: false, error_code: 401, description: "Unauthorized" }, { status: 401 })
    }
    return Response.json({
      ok: true,
      result: { id: 123456789, is_bot: true, username: "acme_bot", first_name: "Acme" },
    })
  })
}

export const ADMIN_GROUPS: AdminFixtures = {
  listTeams: async () => ({ query: "?archived=active&limit=5" }),
  createTeam: async ({ client, random }) => ({
    body: { name: `Team ${random.int(1e9)}`, description: "Days", members: [{ user_id: client.userId, role: "lead" }] },
  }),
  getTeam: async (estate) => ({ params: { team_id: (await makeTeam(estate)).team_id } }),
  updateTeam: async (estate) => ({
    params: { team_id: (await makeTeam(estate)).team_id },
    body: { description: "Nights", members: [{ user_id: estate.client.userId }] },
  }),
  listWorkspaces: async () => ({ query: "?q=work&limit=5" }),
  createWorkspace: async ({ client, random }) => ({
    body: { workspace_id: `w-${random.int(1e9)}`, name: "Acme", members: [{ user_id: client.userId, role: "owner" }] },
  }),
  getWorkspace: async (estate) => ({ params: { workspace_id: (await makeWorkspace(estate)).workspace_id } }),
  updateWorkspace: async (estate) => ({
    params: { workspace_id: (await makeWorkspace(estate)).workspace_id },
    body: { name: "Renamed", spaces: [await estate.client.space()] },
  }),
  putWorkspaceBot: async (estate) => ({
    params: { workspace_id: (await makeWorkspace(estate)).workspace_id },
    body: { username: "@acme_bot", token: BOT_TOKEN },
  }),
  testWorkspaceBot: async (estate) => {
    const { workspace_id } = await makeWorkspace(estate)
    serveBotApi(estate.world)
    await estate.admin.json("PUT", `/api/admin/workspaces/${workspace_id}/bot`, { token: BOT_TOKEN })
    return { params: { workspace_id } }
  },
  setWorkspaceBotWebhook: async (estate) => {
    const { workspace_id } = await makeWorkspace(estate)
    serveBotApi(estate.world)
    await estate.admin.json("PUT", `/api/admin/workspaces/${workspace_id}/bot`, { token: BOT_TOKEN })
    return { params: { workspace_id } }
  },
  addWorkspaceMember: async (estate) => ({
    params: { workspace_id: (await makeWorkspace(estate)).workspace_id },
    body: { user_id: estate.client.userId, role: "admin" },
  }),
  removeWorkspaceMember: async (estate) => {
    const members = [{ user_id: estate.client.userId, role: "owner" }]
    const { workspace_id } = await makeWorkspace(estate, { members })
    return { params: { workspace_id, user_id: estate.client.userId } }
  },
}
