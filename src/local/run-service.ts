import { type LocalContainer, mapDemoSpace, startContainer } from "./container.ts"
import { liveDemoMonth } from "./demo-month.ts"
import { newSignInUrl, startDemoSignIn } from "./demo-sign-in.ts"
import { startDevServer } from "./dev-server.ts"
import { showFirstTurn } from "./first-turn.ts"
import { runCommand, step } from "./lifecycle.ts"
import { PORT_OFFSETS, readStartOptions } from "./options.ts"
import { freePort } from "./postgres.ts"
import { startProvider } from "./provider-server.ts"
import { providerLogins, seedProviders } from "./seed-providers.ts"
import { startStandIns } from "./stand-ins.ts"

const SWEEP_MS = 60_000

interface ServiceSource {
  /** The folder with wrangler.toml and the static files. */
  root: string
  /** Returns the file of the worker. It runs while the stand-ins start. */
  prepareWorker(): Promise<string>
  /** True to run the demo's container too. */
  hasContainer: boolean
}

/** Runs the whole service with the options of the command line, until a signal arrives. */
export function runService({ root, prepareWorker, hasContainer }: ServiceSource): void {
  runCommand(async (onEnd, end) => {
    const { port, dataDir, baseUrl, providers, demoData } = readStartOptions(process.argv.slice(2), process.env)
    const signInUrl = newSignInUrl(await freePort(port + PORT_OFFSETS.signIn))
    const prepared = prepareWorker()
    prepared.catch(() => {})
    const { demo, pin, variables, directory, databaseUrl, stack } = await startStandIns(
      { baseUrl, dataDir, signInUrl },
      onEnd,
    )

    const provider = providers ? await startProvider(dataDir, port + PORT_OFFSETS.provider) : null
    if (provider) {
      step("starting a model provider …")
      onEnd(provider.stop)
      await seedProviders(databaseUrl, provider, variables.SECRETS_KEYS)
    }
    const logins = provider && { PROVIDER_LOGINS: providerLogins(provider) }
    if (demoData && provider) {
      step("generating a month of demo data, once …")
      const past = await stack.createNamespace({ name: "past", qstash_mode: "manual", databaseUrl })
      const month = { demoKey: demo.api_key, variables: { ...variables, ...logins }, providerUrl: provider.url }
      await liveDemoMonth(past, { ...month, now: new Date() }, (line) => console.log(line))
    }

    let container: LocalContainer | null = null
    if (hasContainer) {
      step("starting a container …")
      container = await startContainer(dataDir)
      onEnd(container.stop)
    }

    step("starting the worker …")
    const script = await prepared
    const server = await startDevServer({
      port,
      dataDir,
      env: { ...variables, ...logins },
      script,
      cwd: root,
      onSpawn: directory.noteWorkers,
    })
    let stopping = false
    onEnd(() => {
      stopping = true
      return server.stop()
    })
    void server.ended.then(() => {
      if (stopping) return
      console.error(`The worker ended unexpectedly; see ${dataDir}/worker.log`)
      end(1)
    })
    const sweep = () => server.cron().catch((error: unknown) => console.error("The sweep failed:", error))
    await server.cron()
    const sweeper = setInterval(() => void sweep(), SWEEP_MS)
    onEnd(async () => clearInterval(sweeper))

    const signIn = await startDemoSignIn({ url: signInUrl, baseUrl, databaseUrl, redis: variables })
    onEnd(signIn.stop)

    step("sending a turn …")
    const space = await showFirstTurn(demo, pin, (line) => console.log(line))
    if (container) await mapDemoSpace(demo, space, container)

    step("ready.")
    console.log(`
  web app    ${signInUrl}
             (signs you in as the demo's owner; append ?as=Admin to sign in as an operator; keep it secret)
  base URL   ${demo.base_url}      (the API is below /v1)
  reference  ${demo.base_url}/docs
  live key   ${demo.api_key}
  test key   ${demo.test_key}
${container ? `  container  ${container.url}  (its tools in the demo's space have the prefix container__)\n` : ""}\
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
