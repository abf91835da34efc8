import { mkdir } from "node:fs/promises"
import { seedDemo } from "./demo.ts"
import { startDevServer } from "./dev-server.ts"
import { showFirstTurn } from "./first-turn.ts"
import { readKeyRing } from "./key-ring.ts"
import { readOptions } from "./options.ts"
import { startStack } from "./stack.ts"

const SWEEP_MS = 60_000
/** What a worker may have beside what is started here. */
const OPTIONAL_VARIABLES = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
  ...["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_SCOPES", "IDP_INTERNAL_SECRET"],
]

const closers: (() => Promise<unknown>)[] = []
let ending: Promise<void> | null = null

/** Ends everything that was started, the newest first; once. */
function end(code: number): Promise<void> {
  ending ??= (async () => {
    for (const close of closers.reverse()) await close().catch((error: unknown) => console.error(error))
    process.exit(code)
  })()
  return ending
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (!ending) console.log("\nStopping …")
    void end(0)
  })
}

const began = Date.now()
const print = (line: string) => console.log(line)
const step = (line: string) => print(`[${((Date.now() - began) / 1000).toFixed(1).padStart(4)} s] ${line}`)

async function start() {
  const { port, dataDir } = readOptions(process.argv.slice(2), process.env)
  await mkdir(dataDir, { recursive: true })

  step(`starting PostgreSQL, Redis and QStash for ${dataDir} …`)
  const stack = await startStack({
    dataDir,
    control: false,
    durable: true,
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
  })
  closers.push(stack.close)
  const local = await stack.createNamespace({ name: "local", qstash_mode: "push", databaseName: "turnpike" })

  step("seeding the demo account …")
  const baseUrl = `http://127.0.0.1:${port}`
  const { demo, pin } = await seedDemo(local.databaseUrl, { dataDir, baseUrl, env: process.env })

  step("starting the worker (wrangler dev) …")
  const optional = Object.fromEntries(OPTIONAL_VARIABLES.map((name) => [name, process.env[name]]))
  const own = { CALLBACKS_URL: baseUrl, SECRETS_KEYS: await readKeyRing(dataDir), ALLOW_PRIVATE_TARGETS: "1" }
  const env = { ...local.env, ...optional, ...own, LOG_LEVEL: process.env.LOG_LEVEL }
  const server = await startDevServer({ port, dataDir, env })
  closers.push(server.stop)
  void server.ended.then(() => {
    if (ending) return
    console.error(`The worker has ended; see ${dataDir}/worker.log`)
    void end(1)
  })
  const sweep = () => server.cron().catch((error: unknown) => console.error("The sweep failed:", error))
  await sweep()
  const sweeper = setInterval(() => void sweep(), SWEEP_MS)
  closers.push(async () => clearInterval(sweeper))

  step("sending a turn …")
  const space = await showFirstTurn(demo, pin, print)

  step("ready.")
  print(`
  base URL   ${demo.base_url}      (the API is below /v1)
  reference  ${demo.base_url}/docs
  live key   ${demo.api_key}
  test key   ${demo.test_key}
  also in    ${dataDir}/demo.json

Go on with:

  curl ${demo.base_url}/v1/me -H "Authorization: Bearer ${demo.api_key}"

  curl ${demo.base_url}/v1/turns -H "Authorization: Bearer ${demo.api_key}" -H "Idempotency-Key: $(date +%s)" \\
    -H "Content-Type: application/json" -d '{"space":"${space}","end_user_ref":"customer-1","text":"Where is my order?"}'

  curl "${demo.base_url}/v1/turns?limit=1" -H "Authorization: Bearer ${demo.api_key}"

Ctrl-C ends it; the data stays in ${dataDir}.`)
}

start().catch((error: unknown) => {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof Error && error.cause) console.error(error.cause)
  void end(1)
})
