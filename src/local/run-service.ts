import { mapDemoSpace, startContainer } from "./container.ts"
import { takeDataDirectory } from "./data-directory.ts"
import { newSignInUrl, startDemoSignIn } from "./demo-sign-in.ts"
import { startDevServer } from "./dev-server.ts"
import { showFirstTurn } from "./first-turn.ts"
import { runCommand, step } from "./lifecycle.ts"
import { PORT_OFFSETS, readStartOptions } from "./options.ts"
import { freePort } from "./postgres.ts"
import { startStandIns } from "./stand-ins.ts"

const SWEEP_MS = 60_000

interface ServiceSource {
  /** The folder with wrangler.toml and the static files. */
  root: string
  /** Returns the file of the worker. It runs while the stand-ins start. */
  prepareWorker(): Promise<string>
  /** Builds the static files if needed, while the worker starts and answers the first turn. True if it built them. */
  prepareStaticFiles(): Promise<boolean>
  /** True to run the demo's container too. */
  hasContainer: boolean
}

type Close = () => Promise<unknown>
type OnEnd = (close: Close) => void
const NOTHING: Close = async () => {}

/** A promise that is awaited later: its failure is reported there. */
function later<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/**
 * Runs the whole service with the options of the command line, until a signal arrives. The first turn needs PostgreSQL
 * and the worker, which start at the same time. All other parts start next to them.
 */
export function runService({ root, prepareWorker, prepareStaticFiles, hasContainer }: ServiceSource): void {
  runCommand(async (onEnd, end) => {
    const { port, dataDir, baseUrl, providers, demoData } = readStartOptions(process.argv.slice(2), process.env)
    const signInUrl = newSignInUrl(await freePort(port + PORT_OFFSETS.signIn))
    const directory = await takeDataDirectory(dataDir)
    onEnd(directory.release)
    const worker = later(prepareWorker())
    const staticFiles = later(worker.then(prepareStaticFiles))
    const container = hasContainer ? later(startContainer(dataDir)) : null
    onEnd(async () => (await container?.catch(() => null))?.stop())
    // The functions that stop parts are called in the reverse order of these lines, whichever part started first.
    let stopStandIns = NOTHING
    onEnd(() => stopStandIns())
    const standIns = later(startStandIns({ baseUrl, dataDir, signInUrl }, (close) => (stopStandIns = close)))
    const provided = later(standIns.then((started) => provide(started, onEnd)))
    let stopping = false
    let stopWorker = NOTHING
    onEnd(() => {
      stopping = true
      return stopWorker()
    })

    /** Starts the model provider and generates the past, if wanted. Returns the worker's variables. */
    async function provide({ variables, seeded, databaseUrl, stack }: Awaited<typeof standIns>, onEnd: OnEnd) {
      if (!providers) return { env: variables, provider: null }
      const { demo } = await seeded
      step("starting a model provider …")
      const { startProvider } = await import("./provider-server.ts")
      const { providerLogins, seedProviders } = await import("./seed-providers.ts")
      const provider = await startProvider(dataDir, port + PORT_OFFSETS.provider)
      onEnd(provider.stop)
      await seedProviders(databaseUrl, provider, variables.SECRETS_KEYS)
      const env = { ...variables, PROVIDER_LOGINS: providerLogins(provider) }
      if (!demoData) return { env, provider }
      step("generating a month of demo data, once …")
      const { liveDemoMonth } = await import("./demo-month.ts")
      const past = await stack.createNamespace({ name: "past", qstash_mode: "manual", databaseUrl })
      const month = { demoKey: demo.api_key, variables: env, providerUrl: provider.url }
      await liveDemoMonth(past, { ...month, now: new Date() }, (line) => console.log(line))
      return { env, provider }
    }

    const server = await startDevServer({
      port,
      dataDir,
      env: provided.then(({ env }) => env),
      script: provided.then(() => step("starting the worker …")).then(() => worker),
      cwd: root,
      onSpawn: (group, stop) => {
        stopWorker = stop
        return directory.noteWorkers(group)
      },
    })
    void server.ended.then(() => {
      if (stopping) return
      console.error(`The worker ended unexpectedly; see ${dataDir}/worker.log`)
      end(1)
    })
    const { seeded, variables, databaseUrl } = await standIns
    const { provider } = await provided
    const { demo, pin } = await seeded

    step("sending a turn …")
    const space = await showFirstTurn(demo, pin, (line) => console.log(line))
    const signIn = await startDemoSignIn({ url: signInUrl, baseUrl, databaseUrl, redis: variables })
    onEnd(signIn.stop)
    const running = await container
    if (running) await mapDemoSpace(demo, space, running)

    await server.cron()
    if (await isPending(staticFiles))
      step("waiting for the web app and the reference, which are built once per state of their sources …")
    if (await staticFiles) await server.reload()
    const sweep = () => server.cron().catch((error: unknown) => console.error("The sweep failed:", error))
    const sweeper = setInterval(() => void sweep(), SWEEP_MS)
    onEnd(async () => clearInterval(sweeper))

    step("ready.")
    console.log(`
  web app    ${signInUrl}
             (signs you in as the demo's owner; append ?as=Admin to sign in as an operator; keep it secret)
  base URL   ${demo.base_url}      (the API is below /v1)
  reference  ${demo.base_url}/docs
  live key   ${demo.api_key}
  test key   ${demo.test_key}
${running ? `  container  ${running.url}  (its tools in the demo's space have the prefix container__)\n` : ""}\
${provider ? `  provider   ${provider.url}  (two accounts in each pool; models anthropic/demo and openai-compatible/demo)\n` : ""}\
  also in    ${dataDir}/demo.json

Try it:

  curl ${demo.base_url}/v1/me -H "Authorization: Bearer ${demo.api_key}"

  curl ${demo.base_url}/v1/turns -H "Authorization: Bearer ${demo.api_key}" -H "Idempotency-Key: $(date +%s)" \\
    -H "Content-Type: application/json" -d '{"space":"${space}","end_user_ref":"customer-1","text":"Where is my order?"}'

  curl "${demo.base_url}/v1/turns?limit=1" -H "Authorization: Bearer ${demo.api_key}"

Ctrl-C ends it; the data stays in ${dataDir}.`)
  })
}

/** True if the promise has not settled yet. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol()
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending
}
