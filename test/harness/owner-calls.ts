import { App } from "../../src/http/app.ts"
import { createUser } from "../../src/ops/seed.ts"
import { account } from "../../src/routes/account/group.ts"
import { addMember, join } from "./account-people.ts"
import { plantAnomaly } from "./anomalies.ts"
import { callOfOperation, createEstate, ESTATE_HOST, type Estate, ownerWithAll } from "./estate.ts"
import type { V1Operation } from "./operations.ts"
import type { Session } from "./shared-space.ts"
import { sendUntilItWaits } from "./waiting.ts"
import { refundText, refundTool } from "./waiting-tools.ts"
import { turnOf, type World } from "./world.ts"

/** Every operation of a signed-in owner that returns JSON, from the table that the worker routes by. */
export const ownerOperations: readonly V1Operation[] = (() => {
  const app = new App()
  account.mount(app)
  return app.operations.filter(({ answer }) => answer.status !== 302)
})()

export interface OwnerEstate extends Estate {
  owner: Session
  chatTurn: string
  /** A turn with a limit of its own that waits for a decision. */
  asked: string
  /** An ended turn with a bill. */
  billed: string
}

const TRACE_ENDPOINT = { url: `https://${ESTATE_HOST}/v1/traces` }

/** An estate with the resources that only a signed-in owner has. */
export async function createOwnerEstate(world: World): Promise<OwnerEstate> {
  const client = await ownerWithAll(world, 10)
  const refunds = await client.space({ tools: [refundTool()] })
  const asked = await sendUntilItWaits(world, client, {
    space: refunds,
    text: refundText(80),
    max_cost_usd: 0.1,
  })
  const paid = { space: await client.space(), text: "[use input=97 output=13]" }
  const { turn_id: billed } = await turnOf(await client.sendTurn(paid))
  const estate = await createEstate(world, { client })
  const { userId } = estate.client
  const owner = await world.signIn(userId)
  await world.sql(
    `insert into identities (issuer, subject, user_id, created_at)
      select 'https://id.test', $2 || n, $1, now() from unnest('{a,b}'::text[]) n`,
    [userId, estate.canary],
  )
  const [, { items }] = await owner.json("GET", "/api/account/identities")
  Object.assign(estate.ids, {
    "keys/{key_id}": estate.references.key,
    "sessions/{session_id}": (await world.signIn(userId)).sessionId,
    "identities/{identity_id}": items[0].identity_id,
    "anomalies/{anomaly_id}": await plantAnomaly(world, userId, `customer-${estate.canary}`),
  })
  await owner.json("PUT", "/api/account/trace-endpoint", TRACE_ENDPOINT)
  Object.assign(estate.ids, await addPeople(world, userId))
  const [, chat] = await owner.json("POST", "/api/account/chat/turns", { space: estate.space, text: estate.canary })
  await world.settled()
  return { ...estate, owner, chatTurn: chat.turn_id, asked: asked.turn_id, billed }
}

/** A token for the estate's owner, who is invited to another account. */
const INVITED = "a-token-of-an-invitation-for-the-owner-of-it"

/** A member and an invitation of the account; another account that has its owner as a member; and a third one. */
async function addPeople(world: World, userId: number) {
  const member = await addMember(world, userId, "developer")
  const [elsewhere, inviting] = [await person(world), await person(world)]
  await join(world, elsewhere, userId, "read_only")
  await world.sql(
    "update users set email = 'owner-' || user_id || '@people.test', email_verified = true where user_id = $1",
    [userId],
  )
  await world.sql(
    `insert into account_invitations (invitation_id, account_id, email, role, link_hash, mail_hash, invited_by, created_at, expires_at)
     select 'inv_' || i.account, i.account, i.email, 'billing', sha256(convert_to(i.token, 'UTF8')),
       sha256(convert_to('mail' || i.account, 'UTF8')), i.account, $3, $3::timestamptz + interval '1 day'
     from (values ($1::bigint, 'guest-' || $1 || '@people.test', 'guest' || $1),
       ($2, (select email from users where user_id = $1), $4 || $1)) i (account, email, token)`,
    [userId, inviting, world.clock.now(), INVITED],
  )
  return {
    "members/{user_id}": String(member),
    "invitations/{invitation_id}": `inv_${userId}`,
    "memberships/{user_id}": String(elsewhere),
  }
}

const person = (world: World) => createUser(world.sql, { name: "Somebody" })

/** Bodies of operations that only a signed-in owner can call. */
const BODIES: Record<string, (estate: Estate) => object> = {
  createKey: () => ({ name: "new" }),
  updateKey: () => ({ name: "new" }),
  rotateKey: () => ({}),
  putLimits: () => ({}),
  putBudget: () => ({ amount_usd: 5 }),
  putAnomaly: () => ({ state: "dismissed" }),
  putBillingDetails: () => ({}),
  putTraceEndpoint: () => TRACE_ENDPOINT,
  putMembersLimit: () => ({ daily_usd: 1 }),
  previewPortal: () => ({ scopes: ["usage", "turns"] }),
  requestRefund: () => ({ reason: "It answered something else." }),
  changePassword: () => ({ new_password: "a password of mine" }),
  createChatTurn: ({ space }) => ({ space, text: "new" }),
  estimateChatTurn: ({ space }) => ({ space, text: "new" }),
  inviteMember: () => ({ email: "new@people.test", role: "developer" }),
  updateMember: () => ({ role: "billing" }),
  putMemberRules: () => ({ second_factor: false }),
  transferAccount: ({ ids }) => ({ user_id: Number(ids["members/{user_id}"]), role: "developer" }),
  acceptInvitation: ({ client }) => ({ token: INVITED + client.userId }),
}

/** A call of an operation that succeeds for the estate's owner. */
export function ownerCallOf(operation: V1Operation, estate: OwnerEstate) {
  const own = BODIES[operation.id]?.(estate)
  const { body: _body, ...bare } = operation
  const { chatTurn, asked, billed } = estate
  const turn = { getChatTurn: chatTurn, decideCall: asked, patchTurn: asked, requestRefund: billed }[operation.id]
  const ids = turn ? { ...estate.ids, "turns/{turn_id}": turn } : estate.ids
  const call = callOfOperation(own ? bare : operation, { ...estate, ids })
  return own ? { ...call, body: own } : call
}
