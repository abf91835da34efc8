import { stat } from "node:fs/promises"
import { expect, test } from "vitest"
import { FakeServices, KEYS, TOKEN } from "./fakes.ts"
import { expectConnects, useSite, valueIn } from "./site.ts"

const { site, newDatabase } = useSite()

test("A whole run deploys every worker with its own secrets, and a rehearsed turn ends", async () => {
  await site().write(site().settings())
  expect(await site().run()).toBe("deployed")
  const names = ["v1", "auth", "account", "admin", "callbacks", "dashboard"].map((group) => `turnpike-${group}`)
  expect([...site().cloudflare.workers.keys()].sort()).toEqual(names.sort())
  expect([...site().cloudflare.workers.values()].every(({ isDeployed }) => isDeployed)).toBe(true)
  const { v1, callbacks } = Object.fromEntries(
    ["v1", "callbacks"].map((group) => [group, site().cloudflare.workers.get(`turnpike-${group}`)?.secrets ?? {}]),
  )
  expect(new URL(v1?.DATABASE_URL as string).username).toBe("turnpike_v1")
  expect(new URL(callbacks?.DATABASE_URL as string).username).toBe("turnpike_callbacks")
  expect(v1).not.toHaveProperty("ANTHROPIC_API_KEY")
  expect(v1).not.toHaveProperty("QSTASH_CURRENT_SIGNING_KEY")
  expect(callbacks).toMatchObject({
    ANTHROPIC_API_KEY: TOKEN.anthropic,
    QSTASH_NEXT_SIGNING_KEY: KEYS.next,
    RUNNERS: "80",
  })
  expect(v1?.SECRETS_KEYS).not.toBe(callbacks?.SECRETS_KEYS)
  expect(site().cloudflare.workers.get("turnpike-dashboard")?.secrets).toEqual({})
  expect(site().services.turns).toHaveLength(1)
  expect((await stat(site().file())).mode & 0o077).toBe(0)
  expect(await site().sql("select email, role from users")).toEqual([{ email: "admin@acme.com", role: "admin" }])
})

test("No output contains a secret, except for the admin's password, once, on a terminal", async () => {
  await site().write(site().settings())
  await site().run({ ask: async () => "" })
  const file = await site().kept()
  const secrets = [
    TOKEN.redis,
    TOKEN.qstash,
    TOKEN.anthropic,
    KEYS.current,
    KEYS.next,
    new URL(site().database).password,
  ]
  for (const name of ["SECRETS_KEYS", "V1_DATABASE_URL", "CHECK_API_KEY"]) secrets.push(valueIn(file, name) as string)
  const output = site().printed.join("\n")
  for (const secret of secrets.filter((one) => one.length > 4)) expect(output.includes(secret)).toBe(false)
  for (const call of site().cloudflare.calls)
    for (const secret of secrets) expect(call.includes(secret) && secret.length > 4).toBe(false)
  expect(output.match(/Password \(shown once\)/g)).toHaveLength(1)
  site().printed = []
  await site().run()
  expect(site().printed.join("\n")).not.toContain("Password")
})

test("Without a terminal the log of a first deployment has no password, and says how to sign in", async () => {
  await site().write(site().settings())
  await site().run()
  const output = site().printed.join("\n")
  expect(output).not.toContain("Password (shown once)")
  expect(output).toMatch(/npm run admin -- magic-link --user \d+ --url https:/)
})

test("A repeat changes no key, no role, no admin and no secret", async () => {
  await site().write(site().settings())
  await site().run()
  const [file, secrets] = [await site().kept(), structuredClone(site().cloudflare.workers)]
  expect(await site().run()).toBe("deployed")
  expect(await site().kept()).toBe(file)
  for (const [name, worker] of secrets) expect(site().cloudflare.workers.get(name)?.secrets).toEqual(worker.secrets)
  expect(await site().sql("select count(*)::integer as users from users")).toEqual([{ users: 1 }])
  expect(await site().sql("select count(*)::integer as keys from api_keys")).toEqual([{ keys: 1 }])
})

test("A run that is interrupted at each call in turn ends with one admin, one key and roles that work", async () => {
  await site().write(site().settings())
  await site().run()
  const calls = site().cloudflare.calls.length
  site().database = await newDatabase()
  site().leave()
  await site().write(site().settings())
  for (let at = 2; at <= calls; at++) {
    site().cloudflare.calls.length = 0
    site().cloudflare.killedAt = at
    expect(await site().run(), `call ${at}`).toContain("killed")
  }
  site().cloudflare.killedAt = Number.POSITIVE_INFINITY
  expect(await site().run()).toBe("deployed")
  expect(await site().sql("select count(*)::integer as users from users")).toEqual([{ users: 1 }])
  for (const group of ["v1", "callbacks"]) await expectConnects(site().cloudflare.workers.get(`turnpike-${group}`))
})

test("A run that ended before it saved a new role's password gives the role another one", async () => {
  await site().write(site().settings())
  await site().run()
  const file = await site().kept()
  await site().forget("V1_DATABASE_URL")
  expect(await site().run()).toBe("deployed")
  expect(valueIn(await site().kept(), "V1_DATABASE_URL")).not.toBe(valueIn(file, "V1_DATABASE_URL"))
  for (const group of ["v1", "auth"]) await expectConnects(site().cloudflare.workers.get(`turnpike-${group}`))
})

test("A terminal is asked once for each missing value, and again for a malformed one", async () => {
  const { DATABASE_URL, TURNPIKE_HOST, ...others } = site().settings()
  await site().write(others)
  const answers = ["turnpike.acme.com", "https://wrong", DATABASE_URL, "", "unasked"]
  const asked: string[] = []
  expect(
    await site().run({
      ask: async (question) => {
        asked.push(question)
        return answers.shift() as string
      },
    }),
  ).toBe("deployed")
  expect(asked).toHaveLength(4)
  expect(asked[2]).toContain("DATABASE_URL must be a connection string")
  expect(valueIn(await site().kept(), "TURNPIKE_HOST")).toBe(TURNPIKE_HOST)
})

test("A stage has its own workers, bucket, roles and settings, and changes nothing of production", async () => {
  await site().write(site().settings())
  await site().run()
  const before = structuredClone([...site().cloudflare.workers])
  site().services = new FakeServices(site().cloudflare, "staging")
  site().database = await newDatabase()
  await site().write({ ...site().settings(), TURNPIKE_HOST: "staging.acme.com" }, "staging")
  expect(await site().run({ stage: "staging" })).toBe("deployed")
  expect([...site().cloudflare.workers].slice(0, before.length)).toEqual(before)
  const staged = site().cloudflare.workers.get("turnpike-v1-staging")
  expect(staged?.routes).toContain("staging.acme.com/v1/*")
  expect(new URL(staged?.secrets.DATABASE_URL as string).username).toBe("turnpike_staging_v1")
  expect([...site().cloudflare.buckets].sort()).toEqual(["turnpike-files", "turnpike-files-staging"])
  await expectConnects(site().cloudflare.workers.get("turnpike-v1"))
})

test("A plan reads only: it names what would be done, and no secret", async () => {
  await site().write(site().settings(), "planned")
  expect(await site().run({ stage: "planned", plan: true })).toBe("deployed")
  const plan = site().printed.join("\n")
  expect(plan).toContain("apply 0001_baseline;")
  expect(plan).toContain("create turnpike_planned_v1, turnpike_planned_auth, turnpike_planned_account,")
  expect(plan).toContain("turnpike-callbacks-planned: DATABASE_URL,")
  expect(plan).toContain("Workers Paid")
  for (const secret of Object.values(TOKEN)) expect(plan.includes(secret)).toBe(false)
  expect(site().cloudflare.calls).toEqual(["whoami --json"])
  expect(await site().sql("select to_regclass('users') as users")).toEqual([{ users: null }])
})
