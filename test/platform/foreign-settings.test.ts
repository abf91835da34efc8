import { afterAll, beforeAll, expect, test } from "vitest"
import type { Health } from "../../src/system/get-health.ts"
import { askAuth, createPerson, postLogin } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"
const PASSWORD = "a long enough password"

let world: World
let client: TestClient
let browser: Admin
let admin: Admin
let email: string
beforeAll(async () => {
  world = await createWorld({ isNew: true, failing: /^(57P01|broken) / })
  world.rebind({ HEALTH_TOKEN })
  client = await world.createAccount()
  await client.runTurn({ space: await client.space() })
  browser = await world.signIn(client.userId)
  admin = await signInAdmin(world)
  email = (await createPerson(world, { password: PASSWORD })).email
})
afterAll(() => world.close())

/** Changes defaults of the database or of all roles in it, and lets each worker open new sessions. */
async function change(whose: "database" | "roles", settings: Record<string, string>): Promise<void> {
  const changes = Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`)
  for (const set of changes) {
    await world.sql(
      whose === "database"
        ? `do $$ begin execute format('alter database %I ${set.replaceAll("'", "''")}', current_database()); end $$`
        : `do $$ declare r text; begin for r in select rolname from pg_roles where has_schema_privilege(oid, 'public', 'usage')
            and rolcanlogin and rolname like 'tp\\_%' loop
            execute format('alter role %I in database %I ${set.replaceAll("'", "''")}', r, current_database()); end loop; end $$`,
    )
  }
  await world.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  // A call on a session that has just ended fails once. These have no limit of tries, unlike sign-ins.
  const read = async () => (await client.call("GET", "/v1/turns")).status
  const reads = () => Promise.all(Array.from({ length: 8 }, read))
  while ((await reads()).some((status) => status !== 200));
}

/** Answers that depend on times, days, amounts and snapshots. */
async function answers() {
  const login = await postLogin(world, email, PASSWORD)
  const bodies = [
    (await askAuth(world, "/api/auth/me", { method: "GET", cookie: login.cookie })).status,
    (await browser.json("GET", "/api/account/spaces"))[0],
    await (await client.call("GET", "/v1/usage?group_by=day")).json(),
    (await browser.json("GET", "/api/account/statements"))[0],
    (await admin.json("GET", `/api/admin/users/${client.userId}/energy?days=7`))[1],
    (await admin.json("GET", "/api/admin/overview"))[0],
    await (await client.call("GET", "/v1/turns")).json(),
  ]
  return [login.status, ...bodies]
}

/** The health check as a worker's role answers it. */
async function settingsCheck() {
  world.rebind({ DATABASE_URL: world.workerUrls.all })
  const headers = { authorization: `Bearer ${HEALTH_TOKEN}` }
  const health = (await (await world.invoke(new Request("https://api.test/api/health", { headers }))).json()) as Health
  world.rebind({ DATABASE_URL: world.env.DATABASE_URL })
  return health.checks.find(({ name }) => name === "settings")
}

test("Other settings of a database change no answer, because those of the workers' roles win", async () => {
  const before = await answers()
  expect(before[0]).toBe(200)
  await change("database", {
    timezone: "Pacific/Auckland",
    datestyle: "SQL, DMY",
    intervalstyle: "sql_standard",
    bytea_output: "escape",
    extra_float_digits: "-5",
    default_transaction_isolation: "serializable",
    quote_all_identifiers: "on",
    transform_null_equals: "on",
  })
  expect(await answers()).toEqual(before)
  expect(await settingsCheck()).toMatchObject({ ok: true })
})

test.each([
  "Europe/Berlin",
  "Pacific/Auckland",
  "America/St_Johns",
  "Asia/Kathmandu",
  "Pacific/Chatham",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
])("A role's own TimeZone %s in the database changes no answer, and the health check names it", async (timezone) => {
  const before = await answers()
  await change("roles", { timezone })
  expect(await answers()).toEqual(before)
  expect(await settingsCheck()).toMatchObject({ ok: false, value: 1, message: `Wrong: TimeZone is ${timezone}.` })
  await change("roles", { timezone: "UTC" })
})
