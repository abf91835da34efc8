import { join } from "node:path"
import { readKeyRing, removeTraces } from "./data-directory.ts"
import { step } from "./lifecycle.ts"
import { startPostgres } from "./postgres.ts"

/** The variables of the worker that are copied from our environment. */
const OPTIONAL_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "OIDC_SCOPES",
  "IDP_INTERNAL_SECRET",
  "HEALTH_TOKEN",
  "LOG_LEVEL",
  "SLEEP_WHEN_IDLE",
  "EMAIL_HOOK_URL",
  "EMAIL_HOOK_SECRET",
  "PROVIDER_LOGINS",
]

interface Options {
  baseUrl: string
  /** A directory that this process owns. */
  dataDir: string
  signInUrl?: string
}

/**
 * Starts the stand-ins with their data in `dataDir`. Returns the `variables` of a worker at `baseUrl` that uses them.
 * The worker can start at once, but its database and the demo account are there only when `seeded` resolves. `onEnd`
 * gets a function that stops the stand-ins as soon as they are started.
 */
export async function startStandIns(
  { baseUrl, dataDir, signInUrl }: Options,
  onEnd: (close: () => Promise<unknown>) => void,
) {
  await removeTraces(dataDir)
  step(`starting PostgreSQL, Redis and QStash for ${dataDir} …`)
  const databaseUrl = process.env.DATABASE_URL
  // PostgreSQL takes longest, and starts while our code is loaded.
  const postgres = databaseUrl ? undefined : startPostgres({ dataDir: join(dataDir, "postgres"), durable: true })
  postgres?.catch(() => {})
  const [{ startStack }, { seedDemo }, { publishSigningKeys }, { directContext }, { withClient }] = await Promise.all([
    import("./stack.ts"),
    import("./demo.ts"),
    import("../ops/publish-signing-keys.ts"),
    import("../ops/direct.ts"),
    import("./databases.ts"),
  ])
  const stack = await startStack({
    dataDir,
    control: false,
    durable: true,
    ...(postgres && { postgres }),
    databaseUrl,
    redisUrl: process.env.REDIS_URL,
  })
  onEnd(stack.close)
  const { namespace, ready } = await stack.createLasting({ name: "local", qstash_mode: "push" }, "turnpike")
  const variables = {
    ...namespace.env,
    ...Object.fromEntries(OPTIONAL_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    CALLBACKS_URL: baseUrl,
    SECRETS_KEYS: await readKeyRing(dataDir),
    ALLOW_PRIVATE_TARGETS: "1",
  }
  const { databaseUrl: url } = namespace
  async function seed() {
    step("applying the schema to the database …")
    await ready
    await withClient(url, (client) => publishSigningKeys(directContext(client), variables.SECRETS_KEYS))
    step("seeding the demo account …")
    return seedDemo(url, { dataDir, baseUrl, signInUrl, env: process.env })
  }
  const seeded = seed()
  seeded.catch(() => {})
  return { variables, seeded, databaseUrl: url, stack }
}
