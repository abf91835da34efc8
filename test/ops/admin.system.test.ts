import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import { promisify } from "node:util"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startStack } from "../../src/local/stack.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { verifyPassword } from "../../src/sign-in/password.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"

let dataDir: string
let stack: Awaited<ReturnType<typeof startStack>>
let client: pg.Client
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  dataDir = await makeDataDirectory("admin")
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
  stack = await startStack({ dataDir, control: false, durable: false, databaseUrl, redisUrl })
  const namespace = await stack.createNamespace({ name: "admin", qstash_mode: "manual" })
  const { PATH, NODE_COMPILE_CACHE } = process.env
  env = { PATH, NODE_COMPILE_CACHE, ...namespace.env, DATABASE_URL: namespace.databaseUrl }
  env.SECRETS_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`
  client = new pg.Client({ connectionString: namespace.databaseUrl })
  await client.connect()
})

afterAll(async () => {
  await client?.end()
  await stack?.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The command's output, or its error if it fails. */
async function admin(...args: string[]): Promise<string> {
  const run = promisify(execFile)("node", ["src/ops/admin.ts", ...args], { env })
  return run.then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => `FAILED ${stderr}`,
  )
}

const field = (text: string, name: string) => new RegExp(`${name} (\\S+)`).exec(text)?.[1] ?? ""

test("A database that this release can use is not migrated again", async () => {
  const nothing = `There was nothing to apply.\nThe procedures of this release exist already: ${RELEASE}.\n`
  expect(await admin("migrate")).toBe(nothing)
  expect(await admin("migrate", "--after-deploy")).toBe(nothing)
  expect(await admin("prune-releases", "--keep-days", "0")).toBe("There was nothing to remove.\n")
})

test("The first admin gets a password that works, and stays an admin until there is another", async () => {
  const made = await admin("user", "--email", "first@acme.test", "--admin")
  const id = field(made, "user_id")
  const { rows } = await client.query("select role, password_hash from users where user_id = $1", [id])
  expect(rows[0].role).toBe("admin")
  expect(await verifyPassword(field(made, "password"), rows[0].password_hash)).toBe(true)
  expect(await admin("role", "--user", id, "--role", "user")).toMatch(/^FAILED This is the last admin/)
  expect(await admin("disable", "--user", id)).toMatch(/^FAILED This is the last admin/)
  await admin("user", "--email", "second@acme.test", "--admin")
  expect(JSON.parse(await admin("role", "--user", id, "--role", "user"))).toMatchObject({ role: "user" })
  expect(await admin("disable", "--user", id)).toContain("first@acme.test")
  const state = await client.query(
    "select disabled_at is not null as disabled, ending_turns from users where user_id = $1",
    [id],
  )
  expect(state.rows).toEqual([{ disabled: true, ending_turns: true }])
  expect(await admin("magic-link", "--user", id, "--url", "https://app.test")).toMatch(/^FAILED There is no user/)
  await admin("enable", "--user", id)
  expect(await admin("magic-link", "--user", id, "--url", "https://app.test/")).toMatch(
    /^https:\/\/app\.test\/magic#token=[\w-]{43}\nThe link works once/,
  )
  const audit = await client.query(
    "select action, actor_user_id, request_id is not null as noted from audit_log where action like 'user.%' and action <> 'user.create' order by 1",
  )
  expect(audit.rows).toEqual(
    ["user.disable", "user.enable", "user.role"].map((action) => ({ action, actor_user_id: null, noted: true })),
  )
})

test("An account whose only owner is disabled is named, and gets another owner", async () => {
  const make = async (name: string) => field(await admin("user", "--email", `${name}@acme.test`), "user_id")
  const [account, owner, heir] = [await make("account"), await make("owner"), await make("heir")]
  await client.query("update users set own_role = 'none', name = 'Acme' where user_id = $1", [account])
  await client.query(
    "insert into account_members (account_id, member_id, role, created_at) values ($1, $2, 'owner', now())",
    [account, owner],
  )
  const name = (user: string) => admin("owner", "--account", account, "--user", user)
  expect(await admin("disable", "--user", heir)).not.toContain("no owner")
  expect(await name(heir)).toMatch(/^FAILED There is no such user, or the user is disabled/)
  await admin("enable", "--user", heir)
  expect(await admin("disable", "--user", owner)).toContain(`Account ${account} (Acme) has no owner now.`)
  expect(await admin("owner", "--account", "999999", "--user", heir)).toMatch(/^FAILED There is no such account/)
  expect(await name(heir)).toBe(`User ${heir} is an owner of account ${account}. The role before: none.\n`)
  expect(await name(heir)).toBe("The user is an owner of the account already.\n")
  expect(await name(account)).toContain("The role before: none")
  await client.query("update users set members_need_factor = true where user_id = $1", [account])
  expect(await name(await make("late"))).toMatch(/^FAILED The account requires a second factor/)
  const { rows } = await client.query(
    "select action, after ->> 'role' as role from audit_log where account_user_id = $1 and action like 'account.%'",
    [account],
  )
  expect(rows).toEqual([
    { action: "account.owner", role: "owner" },
    { action: "account.owner", role: "owner" },
  ])
})

test("A brand has hosts and a bot, and its secrets are stored nowhere in plain text", async () => {
  const printed = await admin(
    "brand",
    "--brand",
    "acme",
    "--host",
    "a.test,b.test",
    "--bot-username",
    "@acme_bot",
    "--bot-token",
    "1:canary",
  )
  const secret = field(printed, "webhook secret")
  expect(printed).not.toContain("canary")
  const { rows } = await client.query("select to_jsonb(b) as brand from brands b")
  expect(rows[0].brand).toMatchObject({ brand: "acme", hosts: ["a.test", "b.test"], bot_username: "acme_bot" })
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`canary|${secret}`))
  const former = env.SECRETS_KEYS
  const newer = `newer:${Buffer.alloc(32, 9).toString("base64")}`
  env.SECRETS_KEYS = `${newer},${former}`
  expect(await admin("reseal")).toBe(
    "brands.bot_token: 1 encrypted again\nbrands.bot_webhook_secret: 1 encrypted again\n",
  )
  env.SECRETS_KEYS = newer
  expect(await admin("reseal")).toBe("Every value is encrypted with the key newer.\n")
  env.SECRETS_KEYS = former
  expect(await admin("reseal")).toContain("brands.bot_token: 0 encrypted again, 1 cannot be decrypted")
  delete env.SECRETS_KEYS
  expect(await admin("reseal")).toMatch(/^FAILED Set SECRETS_KEYS/)
  expect(await admin("brand", "--brand", "acme", "--bot-token", "2:x")).toMatch(/^FAILED Set SECRETS_KEYS/)
})

test("The workers' roles are made once, each with its own password, and their keys are parts of the ring", async () => {
  const roles = async () =>
    (await client.query("select rolname from pg_roles where rolname ~ '^turnpike_' order by 1")).rows
  const renewed = await admin("grant", "--worker", "v1", "--renew")
  const [, url = ""] = /^v1 +DATABASE_URL=(\S+)$/m.exec(renewed) ?? []
  const worker = new pg.Client({ connectionString: url })
  await worker.connect()
  expect((await worker.query("select current_user as name")).rows).toEqual([{ name: "turnpike_v1" }])
  await expect(worker.query("select password_hash from users")).rejects.toMatchObject({ code: "42501" })
  await worker.end()
  const before = await roles()
  expect(await admin("grant")).toMatch(/^Granted the rights of this release to: turnpike_v1, turnpike_auth, .+\n/)
  expect(await roles()).toEqual(before)
  expect(await admin("grant", "--worker", "nobody")).toMatch(/^FAILED There is no worker nobody/)

  env.SECRETS_KEYS = `k2:${Buffer.alloc(32, 7).toString("base64")},k1:${Buffer.alloc(32, 8).toString("base64")}`
  const keys = await admin("worker-keys", "--worker", "auth")
  expect(keys).toMatch(
    /^auth +SECRETS_KEYS=k2\/seal-brands:\S+,k2\/sessions:\S+,k1\/seal-brands:\S+,k1\/sessions:\S+\n$/,
  )
  expect((await admin("worker-keys")).split("\n")).toHaveLength(6)
})

test("Commands that grant access, repair, refund or read the books are audited, without a secret", async () => {
  env.SECRETS_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`
  const { rows: last } = await client.query("select coalesce(max(audit_id), 0) as id from audit_log")
  const user = field(await admin("user", "--email", "acts@acme.test", "--brand", "acme"), "user_id")
  expect(await admin("key", "--user", user, "--name", "n"), "of the user's brand").toMatch(/^key +acme_live_/m)
  const renewed = await admin("grant", "--worker", "v1", "--renew")
  await admin("grant")
  await admin("grant", "--worker", "nobody")
  const keys = await admin("worker-keys", "--worker", "auth")
  await admin("worker-keys", "--worker", "nobody")
  await admin("reseal")
  await admin("prune-releases")
  const link = await admin("magic-link", "--user", user, "--url", "https://app.test")
  await admin("brand", "--brand", "noted", "--host", "noted.test")
  await admin("bot-webhook", "--brand", "noted")
  await admin("reconcile")
  await admin("refund", "--turn", "turn_none", "--note", "n")
  const { rows } = await client.query(
    "select action, subject_type || ' ' || subject_id as subject, after from audit_log where audit_id > $1 order by audit_id",
    [last[0].id],
  )
  expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
    ["user.create", `user ${user}`],
    ["key.create", expect.stringMatching(/^key key_/)],
    ["cli.grant", "worker v1"],
    ["cli.grant", "worker each"],
    ["cli.worker_keys", "worker auth"],
    ["cli.reseal", "keys SECRETS_KEYS"],
    ["cli.prune_releases", `release ${RELEASE}`],
    ["cli.magic_link", `user ${user}`],
    ["brand.put", "brand noted"],
    ["cli.bot_webhook", "brand noted"],
    ["books.reconcile", "reconciliation cli"],
  ])
  const secrets = [/:\/\/[^:]+:([^@]+)@/, /seal-brands:(\S+?),/, /token=(\S+)/].map(
    (pattern, n) => pattern.exec([renewed, keys, link][n] ?? "")?.[1],
  )
  expect(
    secrets.every((secret) => secret && !JSON.stringify(rows).includes(secret)),
    "no secret",
  ).toBe(true)
})

test("A session of the command line needs no Redis, is signed, ends after an hour, and is audited", async () => {
  const id = field(await admin("user", "--email", "locked-out@acme.test"), "user_id")
  await client.query(
    "insert into second_factors (user_id, secret, created_at, confirmed_at) values ($1, 'canary', now(), now())",
    [id],
  )
  const made = await admin("session", "--user", id)
  const [, payload = ""] = (field(made, "cookie").split("token=")[1] ?? "").split(".")
  const { iss, sub } = JSON.parse(Buffer.from(payload, "base64url").toString())
  expect(iss).toBe("turnpike")
  const { rows } = await client.query(
    `select user_id::int, factor_due, round(extract(epoch from expires_at - created_at) / 60)::int as minutes
     from sessions where session_id = $1`,
    [sub.split(".")[0]],
  )
  expect(rows).toEqual([{ user_id: Number(id), factor_due: false, minutes: 60 }])
  const acts = await client.query("select subject_id, after from audit_log where action = 'cli.session'")
  expect(acts.rows).toMatchObject([{ subject_id: id, after: { session_id: sub.split(".")[0] } }])
  expect(JSON.stringify(acts.rows)).not.toContain(sub)
  expect(await admin("session", "--user", "999999")).toMatch(/^FAILED There is no user 999999/)
})
