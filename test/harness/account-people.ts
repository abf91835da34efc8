import type { MemberRole } from "../../src/base/member-roles.ts"
import { createUser } from "../../src/ops/seed.ts"
import type { Session } from "./shared-space.ts"
import type { TestClient, World } from "./world.ts"

export const KEYS = "/api/account/keys"
export const MEMBERS = "/api/account/members"
export const INVITATIONS = "/api/account/invitations"
export const MEMBERSHIPS = "/api/account/memberships"

export interface AccountPerson {
  session: Session
  email: string
  name: string
  userId: number
}

/** The calls of a person for an account. */
type Acting = Pick<Session, "json" | "call">

export interface AccountWithPeople {
  client: TestClient
  owner: Session
  /** A signed-in user with a verified email, who is no member. */
  person: () => Promise<AccountPerson>
  /** A member of the account, who came by an invitation. */
  member: (role: MemberRole) => Promise<Acting & AccountPerson>
}

/** The calls of a user on pages that show an account. */
export function actingFor(session: Session, account: number): Acting {
  const header = { "x-turnpike-user": `${session.userId}/${account}` }
  return {
    json: (method, path, body, headers = {}) => session.json(method, path, body, { ...header, ...headers }),
    call: (method, path, body, headers = {}) => session.call(method, path, body, { ...header, ...headers }),
  }
}

/** An account with an owner who can invite people. */
export async function createAccountWithPeople(world: World): Promise<AccountWithPeople> {
  const client = await world.createAccount({ usd: 5 })
  const owner = await world.signIn(client.userId)
  let made = 0
  const person = async () => {
    const name = `Person ${++made}`
    const email = `person-${made}@account-${client.userId}.test`
    const userId = await createUser(world.sql, { name, email })
    await world.sql("update users set email_verified = true where user_id = $1", [userId])
    return { session: await world.signIn(userId), email, name, userId }
  }
  const member = async (role: MemberRole) => {
    const invited = await person()
    const token = await invite(owner, invited.email, role)
    const [status, answer] = await invited.session.json("POST", MEMBERSHIPS, { token })
    if (status !== 201) throw new Error(`no membership: ${status} ${JSON.stringify(answer)}`)
    return { ...actingFor(invited.session, client.userId), ...invited }
  }
  return { client, owner, person, member }
}

/** The token of a link of an invitation. */
export const linkToken = (url: string) => url.split("#token=")[1] ?? ""

/** Invites an email and returns the token of the owner's link. */
export async function invite(owner: Pick<Session, "json">, email: string, role: MemberRole): Promise<string> {
  const [status, invitation] = await owner.json("POST", INVITATIONS, { email, role })
  if (status !== 201) throw new Error(`no invitation: ${status} ${JSON.stringify(invitation)}`)
  return linkToken(invitation.url)
}

/** The roles of an account's people by user id. */
export const rolesOf = async (reader: Pick<Session, "json">): Promise<Record<number, MemberRole>> =>
  Object.fromEntries(
    (await reader.json("GET", MEMBERS))[1].members.map((one: { user_id: number; role: MemberRole }) => [
      one.user_id,
      one.role,
    ]),
  )

/** A new user who is a member of an account, without an invitation. Returns the user. */
export async function addMember(world: World, account: number, role: MemberRole): Promise<number> {
  const userId = await createUser(world.sql, { name: role })
  await join(world, account, userId, role)
  return userId
}

/** Makes a user a member of an account. */
export const join = (world: World, account: number, userId: number, role: MemberRole) =>
  world.sql("insert into account_members (account_id, member_id, role, created_at) values ($1, $2, $3, $4)", [
    account,
    userId,
    role,
    world.clock.now(),
  ])

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
export type Ask = (id: string, ids?: Record<string, string>, body?: object) => Promise<any>

/** Calls each operation on people with success, for an account that has only its owner before and afterwards. */
export async function askAboutPeople(world: World, account: number, ask: Ask): Promise<void> {
  const { invitation_id } = await ask("inviteMember", {}, { email: "ben@people.test", role: "developer" })
  await ask("revokeInvitation", { invitation_id })
  const ben = await addMember(world, account, "developer")
  await ask("updateMember", { user_id: String(ben) }, { role: "billing" })
  await ask("listMembers")
  await ask("putMemberRules", {}, { second_factor: false })
  await ask("keepKey", { key_id: (await ask("createKey", {}, { name: "kept" })).key_id })
  await ask("transferAccount", {}, { user_id: ben, role: "developer" })
  await world.sql("update users set own_role = 'owner' where user_id = $1", [account])
  await ask("removeMember", { user_id: String(ben) })
  await world.sql("update users set email = 'own@people.test', email_verified = true where user_id = $1", [account])
  const inviting = await world.signIn((await world.createAccount()).userId)
  const token = await invite(inviting, "own@people.test", "billing")
  const { user_id: joined } = await ask("acceptInvitation", {}, { token })
  await ask("listMemberships")
  await ask("leaveAccount", { user_id: String(joined) })
}
