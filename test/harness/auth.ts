import { randomBytes, scryptSync } from "node:crypto"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { createUser } from "../../src/ops/seed.ts"
import { createRedis } from "../../src/platform/redis.ts"
import type { AuthContext } from "../../src/sign-in/auth-context.ts"
import { ORIGIN } from "./dashboard.ts"
import type { World } from "./world.ts"

/** A context with Redis, as the auth worker builds it, for verbs without an operation. */
export function authContextOf({ env, clock }: Pick<World, "env" | "clock">, address?: string): AuthContext {
  const parsed = parseBaseEnv(env)
  const ctx = createContext(parsed, () => {}, { clock, address })
  return { ...ctx, redis: createRedis(parsed, ctx.meter) }
}

let people = 0

/**
 * A hash in the format of `hashPassword` with a thousandth of the work, for tests that check many
 * passwords.
 */
function cheapHash(password: string): string {
  const [N, r, p, salt] = [2 ** 7, 1, 1, randomBytes(16)]
  const hash = scryptSync(password.normalize("NFKC"), salt, 32, { N, r, p })
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$")
}

interface Person {
  password?: string
  /** The stored hash, if the test needs a specific one. */
  passwordHash?: string
  role?: "user" | "admin"
}

/** Creates a user with an email who can sign in with `password`. */
export async function createPerson(world: World, { password, passwordHash, role = "user" }: Person = {}) {
  const email = `person-${++people}-${crypto.randomUUID().slice(0, 8)}@people.test`
  const stored = passwordHash ?? (password === undefined ? undefined : cheapHash(password))
  const userId = await createUser(world.sql, { email, role, ...(stored && { passwordHash: stored }) })
  return { userId, email }
}

/** Sends a request from a page of our origin and from this address. */
export async function askAuth(
  world: World,
  path: string,
  {
    method = "POST",
    body,
    address,
    cookie,
    userAgent,
  }: { method?: string; body?: object; address?: string; cookie?: string; userAgent?: string } = {},
) {
  const headers = new Headers({ "sec-fetch-site": "same-origin" })
  if (body) headers.set("content-type", "application/json")
  if (address) headers.set("cf-connecting-ip", address)
  if (cookie) headers.set("cookie", cookie)
  if (userAgent) headers.set("user-agent", userAgent)
  const request = new Request(ORIGIN + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const response = await world.invoke(request)
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
  const answer = (await response.json()) as any
  const [set = ""] = response.headers.getSetCookie()
  return { status: response.status, answer, headers: response.headers, cookie: set.split(";")[0] as string }
}

export const postLogin = (world: World, email: string, password: string, address = "198.51.100.1") =>
  askAuth(world, "/api/auth/login", { body: { email, password }, address })
