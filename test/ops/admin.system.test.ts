import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startStack } from "../../src/local/stack.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { verifyPassword } from "../../src/sign-in/password.ts"

let dataDir: string
let stack: Awaited<ReturnType<typeof startStack>>
let client: pg.Client
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnpike-admin-"))
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
  stack = await startStack({ dataDir, control: false, durable: false, databaseUrl, redisUrl })
  const namespace = await stack.createNamespace({ name: "admin", qstash_mode: "manual" })
  env = { PATH: process.env.PATH, ...namespace.env, DATABASE_URL: namespace.databaseUrl }
  env.SECRETS_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`
  client = new pg.Client({ connectionString: namespace.databaseUrl })
  await client.connect()
}, 120_000)

afterAll(async () => {
  await client?.end()
  await stack?.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The command's output, or its error when it fails. */
async function admin(...args: string[]): Promise<string> {
  const run = promisify(execFile)("node", ["src/ops/admin.ts", ...args], { env })
  return run.then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => `FAILED ${stderr}`,
  )
}

const field = (text: string, name: string) => new RegExp(`${name} (\\S+)`).exec(text)?.[1] ?? ""

test("a database that is as this release needs it is not migrated again", async () => {
  const nothing = `There was nothing to apply.\nThe procedures of this release are there already: ${RELEASE}.\n`
  expect(await admin("migrate")).toBe(nothing)
  expect(await admin("migrate", "--after-deploy")).toBe(nothing)
  expect(await admin("prune-releases", "--keep-days", "0")).toBe("There was nothing to remove.\n")
})

test("the first admin is made with a password that fits, and stays one until there is another", async () => {
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
    /^https:\/\/app\.test\/magic#token=[\w-]{43}\nworks once/,
  )
  const audit = await client.query(
    "select action, actor_user_id, request_id is not null as noted from audit_log order by 1",
  )
  expect(audit.rows).toEqual(
    ["user.disable", "user.enable", "user.role"].map((action) => ({ action, actor_user_id: null, noted: true })),
  )
})

test("a brand has hosts and a bot, whose secrets are nowhere as they are", async () => {
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
  delete env.SECRETS_KEYS
  expect(await admin("brand", "--brand", "acme", "--bot-token", "2:x")).toMatch(/^FAILED Set SECRETS_KEYS/)
})
