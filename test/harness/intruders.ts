import type { Estate } from "./estate.ts"
import { ownerClientOf } from "./estate.ts"
import type { World } from "./world.ts"

export interface Intruder {
  who: string
  key: string
  /** The answer of /v1, if it does not accept the key at all. */
  refused?: { status: number; code: string; io?: false } | undefined
}

const REFUSED = { status: 401, code: "INVALID_API_KEY" }

/** Creates every kind of caller that must not see an estate, with its key. */
export async function createIntruders(world: World, { client: owner }: Pick<Estate, "client">): Promise<Intruder[]> {
  const { userId } = owner
  const stranger = async () => ownerClientOf(world, await world.createAccount())
  const keyOf = async (key: Parameters<World["makeKey"]>[1], of = userId) => (await world.makeKey(of, key)).value
  async function spaceId(slug: string): Promise<number> {
    const [row] = await world.sql<{ space_id: number }>("select space_id from spaces where slug = $1", [slug])
    return Number(row?.space_id)
  }
  const boundTo = async (client: Awaited<ReturnType<typeof stranger>>) =>
    keyOf({ scope: "space", spaceId: await spaceId(await client.space()) }, client.userId)

  const kinds: Record<string, { refused?: Intruder["refused"]; make(): Promise<string> }> = {
    "another account": { make: async () => (await stranger()).key },
    "another account's key of one space": { make: async () => boundTo(await stranger()) },
    "a key of the account that made other spaces": { make: () => keyOf({ scope: "created" }) },
    "a key of the account for another space": { make: async () => boundTo(await ownerClientOf(world, owner)) },
    "a test key of the account": { make: () => keyOf({ scope: "all", test: true }) },
    "a revoked key": {
      refused: REFUSED,
      async make() {
        const { key_id, value } = await world.makeKey(userId, { scope: "all" })
        await world.sql("update api_keys set revoked_at = $1 where key_id = $2", [world.clock.now(), key_id])
        return value
      },
    },
    "an expired key": {
      refused: { status: 401, code: "API_KEY_EXPIRED" },
      make: () => keyOf({ scope: "all", expiresAt: new Date(world.clock.ms() - 1) }),
    },
    "a key of a closed account": {
      refused: REFUSED,
      async make() {
        const closed = await stranger()
        await world.sql("update users set disabled_at = $1 where user_id = $2", [world.clock.now(), closed.userId])
        return closed.key
      },
    },
    "a mistyped key": {
      refused: { ...REFUSED, io: false },
      make: async () => `${owner.key.slice(0, -1)}${owner.key.endsWith("a") ? "b" : "a"}`,
    },
    "no key": { refused: { ...REFUSED, io: false }, make: async () => "" },
  }
  const making = Object.entries(kinds).map(async ([who, { refused, make }]) => ({ who, refused, key: await make() }))
  return Promise.all(making)
}
