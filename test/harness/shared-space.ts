import { createUser, topUp } from "../../src/ops/seed.ts"
import { makeTeam, makeWorkspace } from "./admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "./admin-requests.ts"
import type { World } from "./world.ts"

export type Session = Awaited<ReturnType<World["signIn"]>>

export const CHAT = "/api/account/chat/turns"
export const SPACES = "/api/account/spaces"
export const WORKSPACES = "/api/admin/workspaces"

export interface Shared extends AdminEstate {
  owner: Session
  space: string
  workspaceId: string
  teamId: number
  /** Signed-in users, by the way in which the space is shared with them. */
  people: Record<"owner" | "admin" | "member" | "team" | "guest", Session>
  /** A signed-in user without access to the space. */
  stranger: Session
}

/**
 * A space with turns of a live key, shared in every possible way: by its workspace, by the
 * workspace's team and directly.
 */
export async function shareSpace(world: World, name: string, { usd = 10 } = {}): Promise<Shared> {
  const estate = await createAdminEstate(world, name)
  const client = await world.createAccount({ usd })
  const owner = await world.signIn(client.userId)
  const [, { space_id: space }] = await owner.json("POST", SPACES, { title: "Shared" })
  const person = async () => world.signIn(await createUser(world.sql, { name: "Somebody" }))
  const people = {
    owner: await person(),
    admin: await person(),
    member: await person(),
    team: await person(),
    guest: await person(),
  }
  const { team_id: teamId } = await makeTeam(estate, { members: [{ user_id: people.team.userId, role: "lead" }] })
  const { workspace_id: workspaceId } = await makeWorkspace(estate, {
    team_id: teamId,
    members: (["owner", "admin", "member"] as const).map((role) => ({ user_id: people[role].userId, role })),
  })
  const [status] = await estate.admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { spaces: [space] })
  if (status !== 200) throw new Error(`the workspace has no space: ${status}`)
  await world.sql(
    "insert into space_members (space_id, user_id, created_at) select space_id, $2, created_at from spaces where slug = $1",
    [space, people.guest.userId],
  )
  return { ...estate, client, owner, space, workspaceId, teamId, people, stranger: await person() }
}

/** Gives a user credit, which a turn in another user's space must not spend. */
export const giveCredit = (world: World, userId: number) =>
  topUp(world.sql, { userId, micros: 10_000_000, reason: "operator_topup", actor: "test", now: world.clock.now() })

export const balanceOf = async (browser: Session) =>
  (await browser.json("GET", "/api/account/balance"))[1] as { balance_usd: number; held_usd: number }
