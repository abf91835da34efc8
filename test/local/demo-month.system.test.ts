import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { withClient } from "../../src/local/databases.ts"
import { liveDemoMonth } from "../../src/local/demo-month.ts"
import { freePort } from "../../src/local/postgres.ts"
import { startProvider } from "../../src/local/provider-server.ts"
import { providerLogins, seedProviders } from "../../src/local/seed-providers.ts"
import { startStandIns } from "../../src/local/stand-ins.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"

test("The demo data of `npm start` is made by the service itself, with the variables that the local worker has", async () => {
  const dataDir = await makeDataDirectory("month")
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  vi.stubEnv("TURNPIKE_DEMO", join(dataDir, "known.json"))
  for (const name of ["DATABASE_URL", "REDIS_URL"]) vi.stubEnv(name, undefined)
  const { seeded, variables, databaseUrl, stack } = await startStandIns(
    { baseUrl: `http://127.0.0.1:${await freePort()}`, dataDir },
    (close) => onTestFinished(() => void close()),
  )
  const { demo } = await seeded
  const provider = await startProvider(dataDir, await freePort())
  onTestFinished(() => void provider.stop())
  await seedProviders(databaseUrl, provider, variables.SECRETS_KEYS)

  const past = await stack.createNamespace({ name: "past", qstash_mode: "manual", databaseUrl })
  const worker = { ...variables, PROVIDER_LOGINS: providerLogins(provider) }
  const month = { demoKey: demo.api_key, variables: worker, providerUrl: provider.url, now: new Date() }
  await liveDemoMonth(past, { ...month, days: 6 }, () => {})

  const [made] = await withClient(databaseUrl, async (client) => {
    const query = `select count(*) filter (where state = 'done')::integer as done,
      count(*) filter (where finished_at is null)::integer as open, count(*) filter (where key_id is null)::integer as chats
      from turns`
    return (await client.query(query)).rows
  })
  expect(made.done).toBeGreaterThan(5)
  expect(made).toMatchObject({ open: 0, chats: 6 })

  const [seen] = await withClient(databaseUrl, async (client) => {
    const query = `select
      (select count(*)::integer from model_calls where modifiers ? 'flex') as flex,
      (select count(*)::integer from model_calls where provider_credit_micros < cost_credit_micros) as with_margin,
      (select count(*)::integer from provider_book_days where compared_at is not null and failure is null) as days,
      (select array_agg(distinct kind) from provider_book_findings) as findings,
      (select count(*)::integer from provider_reports) as reports`
    return (await client.query(query)).rows
  })
  expect(seen).toMatchObject({ findings: ["provider_more"], reports: 0 })
  for (const count of [seen.flex, seen.with_margin, seen.days]) expect(count).toBeGreaterThan(0)
})
