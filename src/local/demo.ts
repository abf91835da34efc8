import { randomBytes } from "node:crypto"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { MICROS_PER_USD } from "../base/money.ts"
import { connectOwner } from "../ops/connect-owner.ts"
import { directContext } from "../ops/direct.ts"
import { configuredModels, disableOtherModels, enableModels } from "../ops/models.ts"
import { createApiKey, createUser, type RunSql, seedGroups, seedTasks, subscribe, topUp } from "../ops/seed.ts"
import { hashPassword } from "../sign-in/password.ts"

/** The content of demo.json, which `npm start` writes for tools and tests. */
export interface Demo {
  base_url: string
  api_key: string
  test_key: string
  admin: { email: string; password: string }
  callbacks_url: string
  /** Signs a browser in as the demo's owner, or as the user named in `?as=`. Works while `npm start` runs. */
  sign_in_url?: string | undefined
}

const BRAND = "turnpike"
const CREDIT_USD = 100

/** The plans that the operators' pages show at first. */
const PLANS = {
  trial: { label: "Trial", included_credit_usd: 0, daily_cap_usd: null },
  pro: { label: "Pro", included_credit_usd: 20, daily_cap_usd: 50 },
}
const PEOPLE: [name: string, plan?: keyof typeof PLANS][] = [["Grace", "pro"], ["Alan", "trial"], ["Barbara"]]

interface DemoOptions {
  dataDir: string
  baseUrl: string
  signInUrl?: string | undefined
  env: Record<string, string | undefined>
}

/** Creates the demo account, its keys and the catalog at the first start. Later starts find them again. */
export async function seedDemo(
  databaseUrl: string,
  { dataDir, baseUrl, signInUrl, env }: DemoOptions,
): Promise<{ demo: Demo; pin: string }> {
  const client = await connectOwner(databaseUrl)
  const sql: RunSql = async (query, params) => (await client.query(query, params)).rows
  try {
    const models = await configuredModels(env)
    const { db } = directContext(client)
    await disableOtherModels(db, models)
    await enableModels(db, models, new Date())
    const secrets = (await readDemo(dataDir, sql)) ?? (await makeDemo(sql))
    await seedGroups(sql, { apiKey: secrets.api_key, now: new Date() })
    await seedTasks(sql, { key: secrets.api_key, now: new Date() })
    const demo = { ...secrets, base_url: baseUrl, callbacks_url: baseUrl, sign_in_url: signInUrl }
    const text = `${JSON.stringify(demo, null, 2)}\n`
    // The data directory's memory of its secrets, so no other data directory may write it.
    await writeSecret(join(dataDir, "demo.json"), text)
    const known = env.TURNPIKE_DEMO
    if (known) {
      await mkdir(dirname(known), { recursive: true, mode: 0o700 })
      await writeSecret(known, text)
    }
    const first = models[0]
    return { demo, pin: first ? `${first.engine}/${first.model}` : "rehearsal/standard" }
  } finally {
    await client.end()
  }
}

/** writeFile sets the mode of new files only, so an existing file gets it first. */
async function writeSecret(file: string, text: string): Promise<void> {
  await chmod(file, 0o600).catch(() => {})
  await writeFile(file, text, { mode: 0o600 })
}

type Secrets = Pick<Demo, "api_key" | "test_key" | "admin">

/** The secrets of an earlier start, if they belong to this database. */
async function readDemo(dataDir: string, sql: RunSql): Promise<Secrets | null> {
  const text = await readFile(join(dataDir, "demo.json"), "utf8").catch(() => null)
  if (text === null) return null
  const demo = JSON.parse(text) as Demo
  const rows = await sql(
    "select 1 from api_keys where hash in (sha256(convert_to($1, 'UTF8')), sha256(convert_to($2, 'UTF8')))",
    [demo.api_key, demo.test_key],
  )
  return rows.length === 2 ? { api_key: demo.api_key, test_key: demo.test_key, admin: demo.admin } : null
}

async function makeDemo(sql: RunSql): Promise<Secrets> {
  const now = new Date()
  const unique = randomBytes(3).toString("hex")
  const userId = await createUser(sql, { email: `demo-${unique}@turnpike.test`, name: "Demo" })
  const micros = CREDIT_USD * MICROS_PER_USD
  await topUp(sql, { userId, micros, reason: "operator_topup", actor: "npm start", note: "Demo credit", now })
  const admin = { email: `admin-${unique}@turnpike.test`, password: randomBytes(12).toString("base64url") }
  const passwordHash = await hashPassword(admin.password)
  await createUser(sql, { email: admin.email, name: "Admin", role: "admin", passwordHash })
  for (const [name, plan] of PEOPLE) {
    const person = await createUser(sql, { email: `${name.toLowerCase()}-${unique}@turnpike.test`, name })
    if (plan) await subscribe(sql, { userId: person, plan, plans: PLANS, now })
  }
  const key = { userId, brand: BRAND, scope: "all", now } as const
  const live = await createApiKey(sql, { ...key, name: "Demo" })
  const test = await createApiKey(sql, { ...key, name: "Demo, test", test: true })
  return { api_key: live.value, test_key: test.value, admin }
}
