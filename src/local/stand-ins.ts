import { readKeyRing, removeTraces, takeDataDirectory } from "./data-directory.ts"
import { seedDemo } from "./demo.ts"
import { step } from "./lifecycle.ts"
import { startStack } from "./stack.ts"

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

/**
 * Starts the stand-ins with their data in `dataDir`, and creates the demo account. Returns the `variables` of a worker
 * at `baseUrl` that uses them.
 */
export async function startStandIns(
  { baseUrl, dataDir, signInUrl }: { baseUrl: string; dataDir: string; signInUrl?: string },
  onEnd: (close: () => Promise<unknown>) => void,
) {
  const directory = await takeDataDirectory(dataDir)
  onEnd(directory.release)
  await removeTraces(dataDir)
  step(`starting PostgreSQL, Redis and QStash for ${dataDir} …`)
  const stack = await startStack({
    dataDir,
    control: false,
    durable: true,
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
  })
  onEnd(stack.close)
  const local = await stack.createNamespace({ name: "local", qstash_mode: "push", databaseName: "turnpike" })

  step("seeding the demo account …")
  const { demo, pin } = await seedDemo(local.databaseUrl, { dataDir, baseUrl, signInUrl, env: process.env })
  const variables = {
    ...local.env,
    ...Object.fromEntries(OPTIONAL_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    CALLBACKS_URL: baseUrl,
    SECRETS_KEYS: await readKeyRing(dataDir),
    ALLOW_PRIVATE_TARGETS: "1",
  }
  return { demo, pin, variables, directory, databaseUrl: local.databaseUrl, stack }
}
