import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { publishSigningKeys } from "../../src/ops/publish-signing-keys.ts"
import { retireSigningKey } from "../../src/ops/retire-signing-key.ts"
import { signDocument } from "../../src/receipts/sign-document.ts"
import { askAuth } from "../harness/auth.ts"
import { contextOf } from "../harness/context.ts"
import { createPortalBrowser, makePortal } from "../harness/portal.ts"
import { makeWebhook, type ReceivedEvent, serveReceiver, verifies } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const newRing = (id: string) => `${id}:${btoa(id.slice(0, 1).repeat(32))}`

/** An owner with a key, a token that watches a turn with this key, and a session of the portal. */
async function arrangeKey() {
  const owner = await world.createAccount()
  const browser = await world.signIn(owner.userId)
  const [, made] = await browser.json("POST", "/api/account/keys", { name: "Rotated", scope: "created" })
  const key = world.createClient(owner.userId, made.value)
  const turn = await key.runTurn({ space: await key.space(), end_user_ref: "ada" })
  const watched = (await (await key.call("POST", `/v1/turns/${turn.turn_id}/watch-tokens`, {})).json()) as {
    url: string
  }
  const portal = await createPortalBrowser(world).open(await makePortal(key, "ada", { scopes: ["usage"] }))
  const statuses = async () => [
    (await key.call("GET", "/v1/spaces")).status,
    (await world.invoke(new Request(watched.url))).status,
    (await portal.get("overview")).status,
  ]
  const rotate = async (overlap_seconds: number) => {
    const path = `/api/account/keys/${made.key_id}/rotate`
    expect((await browser.json("POST", path, { overlap_seconds }))[0]).toBe(200)
  }
  return { statuses, rotate }
}

/** How a former value is used, withdrawn and used again: what it does before and after. */
interface Withdrawal {
  before: unknown
  after: unknown
}

/** Each credential whose former value works for a time, or that outlives the one that made it. */
const WITHDRAWALS: Record<string, () => Promise<Withdrawal>> = {
  async "an API key, and the watch token and the portal session that it made"() {
    const { statuses, rotate } = await arrangeKey()
    await rotate(86_400)
    const before = await statuses()
    await rotate(0)
    return { before, after: await statuses() }
  },
  async "a webhook's signing secret"() {
    const client = await world.createAccount()
    const receiver = serveReceiver(world)
    const { webhook_id, secret } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
    const space = await client.space()
    const signs = async () => {
      await client.runTurn({ space })
      return verifies(secret, receiver.received.at(-1) as ReceivedEvent) ? 200 : 401
    }
    const rotate = async (query = "") => {
      const answer = await client.call("POST", `/v1/webhooks/${webhook_id}/rotate-secret${query}`)
      expect(answer.status).toBe(200)
      return (await answer.json()) as { secret: string; previous_secret_expires_at: string | null }
    }
    for (let rotation = 0; rotation < 10; rotation++) await rotate()
    const before = [await signs()]
    const { secret: fresh, previous_secret_expires_at } = await rotate("?overlap_seconds=0")
    expect(previous_secret_expires_at).toBeNull()
    const after = [await signs()]
    expect(verifies(fresh, receiver.received.at(-1) as ReceivedEvent)).toBe(true)
    return { before, after }
  },
  async "a session, and the app token that it made"() {
    const { userId } = await world.createAccount()
    const [stolen, browser] = [await world.signIn(userId), await world.signIn(userId)]
    const appToken = async () => (await stolen.json("POST", "/api/auth/app-token"))[1].token as string
    const redeem = async (token: string) => (await askAuth(world, "/api/auth/magic", { body: { token } })).status
    const [used, kept] = [await appToken(), await appToken()]
    const before = [(await stolen.call("GET", "/api/account/sessions")).status, await redeem(used)]
    expect((await browser.call("DELETE", "/api/account/sessions")).status).toBe(200)
    return { before, after: [(await stolen.call("GET", "/api/account/sessions")).status, await redeem(kept)] }
  },
  async "a key of the key ring that signs receipts"() {
    const ring = `${newRing("leaked")},${newRing("newer")}`
    await publishSigningKeys(contextOf(world), ring)
    const worker = { ...contextOf(world), keyRing: createKeyRing(parseKeyRing(ring)) }
    const { signature } = await signDocument(worker, { document: "turn_receipt" })
    const { kid } = JSON.parse(atob(signature.split(".")[0] ?? "")) as { kid: string }
    const verified = async () => {
      const { keys } = (await (await world.invoke(new Request("https://api.test/.well-known/jwks.json"))).json()) as {
        keys: { kid: string }[]
      }
      return keys.some((key) => key.kid === kid) ? 200 : 401
    }
    const before = [await verified()]
    await retireSigningKey(contextOf(world), { kid, reason: "The key ring leaked." })
    return { before, after: [await verified()] }
  },
  async "a key of the key ring that signs sessions and seals tokens"() {
    const kept = world.env.SECRETS_KEYS
    const former = await world.signIn((await world.createAccount()).userId)
    const status = async () => (await former.call("GET", "/api/account/sessions")).status
    world.rebind({ SECRETS_KEYS: `${newRing("next")},${kept}` })
    const before = [await status()]
    world.rebind({ SECRETS_KEYS: newRing("next") })
    const after = [await status()]
    world.rebind({ SECRETS_KEYS: kept })
    return { before, after }
  },
  async "a signing key of the queue"() {
    const client = await world.createAccount()
    const former = world.env
    const delivery = async () => {
      await client.sendTurn({ space: await client.space() })
      await world.settled()
      const [message] = await world.qstash.due()
      if (!message) throw new Error("no message is due")
      return message
    }
    const signed = await delivery()
    const next = await world.qstash.rollKeys()
    world.rebind({ QSTASH_CURRENT_SIGNING_KEY: former.QSTASH_CURRENT_SIGNING_KEY })
    const before = [(await world.deliver(signed)).status]
    world.rebind({ QSTASH_CURRENT_SIGNING_KEY: next.current, QSTASH_NEXT_SIGNING_KEY: next.next })
    return { before, after: [(await world.deliver(signed)).status] }
  },
}

describe("Withdrawal of former values", () => {
  test.each(Object.entries(WITHDRAWALS))(
    "A former value of %s works until it is withdrawn, and not once after that",
    async (_what, withdraw) => {
      const { before, after } = await withdraw()
      const refused = (before as number[]).map(() => 401)
      expect({ before, after }).toEqual({ before: refused.map(() => 200), after: refused })
    },
  )

  test("The list has every table of former values and every variable that holds several keys", async () => {
    const tables = await world.sql<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = current_schema()
        and table_name like 'former%' and column_name like '%_until' order by 1`,
    )
    expect(tables.map(({ name }) => name)).toEqual(["former_key_values", "former_signing_secrets"])
    const variables = Object.keys(world.env).filter((name) => /NEXT|PREVIOUS|FORMER|_KEYS$/.test(name))
    expect(variables.sort()).toEqual(["QSTASH_NEXT_SIGNING_KEY", "SECRETS_KEYS"])
  })
})
