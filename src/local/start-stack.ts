import "./loopback.ts"
import { takeDataDirectory } from "./data-directory.ts"
import { cronUrl } from "./dev-server.ts"
import { refuseForeignVars, removeDevVars, writeDevVars } from "./dev-vars.ts"
import { runCommand, step } from "./lifecycle.ts"
import { DEFAULT_PORT, readStartOptions } from "./options.ts"
import { startStandIns } from "./stand-ins.ts"

const SWEEP_MS = 60_000
const DEV_VARS = ".dev.vars"

runCommand(async (onEnd) => {
  const { port, dataDir, baseUrl } = readStartOptions(process.argv.slice(2), process.env)
  await refuseForeignVars(DEV_VARS)
  const directory = await takeDataDirectory(dataDir)
  onEnd(directory.release)
  const { variables, seeded } = await startStandIns({ baseUrl, dataDir }, onEnd)
  const { demo } = await seeded
  await writeDevVars(DEV_VARS, variables)
  onEnd(() => removeDevVars(DEV_VARS))
  // Fires the cron trigger, which nothing else does locally. The worker may not run yet, so errors are ignored.
  const sweeper = setInterval(() => void fetch(cronUrl(baseUrl)).catch(() => {}), SWEEP_MS)
  onEnd(async () => clearInterval(sweeper))

  step("ready.")
  console.log(`
  Now run in another terminal:   npx wrangler dev${port === DEFAULT_PORT ? "" : ` --port ${port}`}

  base URL   ${demo.base_url}      (the API is below /v1)
  live key   ${demo.api_key}
  test key   ${demo.test_key}
  also in    ${dataDir}/demo.json; the worker's variables are in ${DEV_VARS}, which it reads when it starts

Ctrl-C ends it; the data stays in ${dataDir}.`)
})
