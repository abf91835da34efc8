import { expect, test } from "vitest"
import { FakeServices, US } from "./fakes.ts"
import { useSite } from "./site.ts"

const { site } = useSite()

test("Everything that is missing is named at once, without a terminal", async () => {
  await site().write({ DATABASE_URL: "https://wrong" })
  const said = await site().run()
  for (const name of ["TURNPIKE_HOST", "DATABASE_URL must be", "UPSTASH_REDIS_REST_URL", "QSTASH_TOKEN", "ADMIN_EMAIL"])
    expect(said).toContain(name)
  await site().write({ ...site().settings(), QSTASH_TOKN: "x" })
  expect(await site().run()).toContain("unknown names: QSTASH_TOKN")
  expect(site().cloudflare.calls).toEqual([])
})

const wrong: [string, Record<string, string | undefined>, (() => void) | undefined, string][] = [
  ["a wrong token of Redis", { UPSTASH_REDIS_REST_TOKEN: "no" }, undefined, "UPSTASH_REDIS_REST_TOKEN is refused"],
  [
    "a read-only token of Redis",
    {},
    () => {
      site().services.isReadOnly = true
    },
    "read-only token",
  ],
  ["a wrong token of QStash", { QSTASH_TOKEN: "no" }, undefined, "QSTASH_TOKEN is refused in every region"],
  [
    "a wrong region of QStash",
    { QSTASH_URL: "https://qstash.upstash.io" },
    () => {
      site().services.region = US
    },
    `set QSTASH_URL=${US}`,
  ],
  [
    "a wrong signing key",
    { QSTASH_CURRENT_SIGNING_KEY: "sig_other" },
    undefined,
    "QSTASH_CURRENT_SIGNING_KEY is not the key of this token",
  ],
  ["a wrong model key", { ANTHROPIC_API_KEY: "sk-no" }, undefined, "ANTHROPIC_API_KEY is refused (HTTP 401)"],
  [
    "a missing permission of the login",
    {},
    () => {
      site().cloudflare.permissions = ["account:read"]
    },
    "lacks workers:write",
  ],
  [
    "several accounts",
    {},
    () => {
      site().cloudflare.accounts = [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ]
    },
    "set CLOUDFLARE_ACCOUNT_ID to one of a (A), b (B)",
  ],
]
test.each(wrong)("A run with %s changes nothing and says what to change", async (_, values, arrange, said) => {
  await site().write({ ...site().settings(), ...values })
  arrange?.()
  expect(await site().run()).toContain(said)
  expect(site().cloudflare.calls).toEqual(["whoami --json"])
  expect(await site().sql("select to_regclass('users') as users")).toEqual([{ users: null }])
})

test("A token of another region is found without QSTASH_URL", async () => {
  await site().write(site().settings())
  site().services.region = US
  expect(await site().run()).toBe("deployed")
  expect(site().cloudflare.workers.get("turnpike-v1")?.secrets.QSTASH_URL).toBe(US)
})

const refused: [string, string, string, string][] = [
  ["Workers Free", "deploy", "CPU limits are not supported for the Free plan. [code: 100328]", "Workers Paid"],
  ["R2 that is off", "r2 bucket", "Please enable R2 through the Cloudflare Dashboard. [code: 10042]", "enable it once"],
  ["a missing permission", "secret bulk", "Authentication error [code: 10000]", "Workers Scripts: Edit"],
  ["a host of no zone", "deploy", "Could not find zone for `turnpike.acme.com`.", "belongs to no zone"],
]
test.each(refused)("Cloudflare's refusal because of %s is explained", async (_, command, error, said) => {
  await site().write(site().settings())
  site().cloudflare.refuses = { command, error }
  expect(await site().run()).toContain(said)
})

test("A key ring that is lost is not replaced", async () => {
  await site().write(site().settings())
  await site().run()
  await site().forget("SECRETS_KEYS")
  expect(await site().run()).toContain("Add its SECRETS_KEYS")
})

test("A turn that does not end says why: the signing keys of the callbacks are wrong", async () => {
  await site().write(site().settings())
  await site().run()
  const { fetch } = site().services
  // As after a rotation of the keys at QStash, which the deployed workers do not know.
  site().services = Object.assign(new FakeServices(site().cloudflare), {
    fetch: (async (url, init) =>
      url.includes("/v1/turns")
        ? Response.json({ turn_id: "turn_2", state: "queued" }, { status: 202 })
        : fetch(url, init)) as typeof fetch,
  })
  expect(await site().run()).toContain("refuses QStash's signature")
})
