import { expect } from "vitest"
import { createAccountProvider, LOGINS } from "./account-provider.ts"
import { type Admin, signInAdmin } from "./books.ts"
import { everyRow } from "./dump.ts"
import { redisOf } from "./redis.ts"
import { createWorld, type World } from "./world.ts"

const BASE = "/api/admin/providers"

/** A world whose accounts log in at the scripted provider. It records the log. */
export async function createProviderWorld(logins: object = LOGINS) {
  const world = await createWorld({ env: { PROVIDER_LOGINS: JSON.stringify(logins) } })
  const provider = createAccountProvider(world)
  const admin = await signInAdmin(world)
  const call = (path: string, body?: object, as: Admin = admin) => as.json("POST", `${BASE}/${path}`, body)
  return {
    ...world,
    provider,
    admin,
    call,
    look: (path: string, as: Admin = admin) => as.json("GET", `${BASE}/${path}`),
    /** Logs in to `account` and saves the account. */
    async added(account: string, body: object = {}): Promise<{ provider_id: string; version: number }> {
      const [, { authorization_url }] = await call("auth/start", { name: account })
      const { code, state } = provider.logIn(authorization_url, account)
      const [status, said] = await call("auth/code", { code: `${code}#${state}` })
      if (status !== 200) throw new Error(JSON.stringify(said))
      const [added, saved] = await call("add", { name: account, ...body })
      if (added !== 200) throw new Error(JSON.stringify(saved))
      return saved
    },
    /** Lets time pass in steps, with the queue and the sweeper running. */
    async pass(ms: number, step = 1_000) {
      for (let past = 0; past < ms; past += step) {
        await world.advance(step)
        await world.drain()
      }
    },
  }
}

export type ProviderWorld = Awaited<ReturnType<typeof createProviderWorld>>

/** Asserts that no secret of an account is in any table, in Redis or in `texts` (answers, logs). */
export async function expectNoSecret(
  world: Pick<World, "sql" | "env">,
  secrets: Iterable<string>,
  texts: string[] = [],
) {
  const everything = [...texts, ...(await everyRow(world)).map(({ name, text }) => `${name}: ${text}`)]
  const redis = redisOf(world)
  for (const key of (await redis.command("KEYS", "*")) as string[]) {
    everything.push(`redis: ${key}: ${await redis.command("GET", key).catch(() => "")}`)
  }
  const all = [...secrets].flatMap((secret) => [secret, encodeURIComponent(secret), btoa(secret)])
  const leaks = everything.filter((text) => /canary/i.test(text) || all.some((secret) => text.includes(secret)))
  expect(leaks).toEqual([])
  return everything.length
}

/** Collects the log from now on; `stop` ends that. */
export function watchLog() {
  const { info, error } = console
  const lines: string[] = []
  console.info = console.error = (...parts: unknown[]) => void lines.push(parts.map(String).join(" "))
  return { lines, stop: () => Object.assign(console, { info, error }) }
}
