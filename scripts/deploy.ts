import { readFile, writeFile } from "node:fs/promises"
import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"
import { deployConfig, PLACEHOLDER_HOST, readHosts } from "./deploy/config.ts"
import { DeployFault } from "./deploy/fault.ts"
import { deploy } from "./deploy/run.ts"
import { groups, wrangler } from "./wrangler.ts"

const USAGE = `npm run deploy -- [OPTIONS] deploys the service: every group of routes as its own worker.

It asks once for what it needs and keeps it in deploy.production.env (deploy.STAGE.env), which contains
secrets. It checks each value, migrates the database, writes the secrets of each worker, deploys, and
sends a rehearsed turn. It can be repeated at any point.

  --host H[,H2…]  the hosts of the service (default: TURNPIKE_HOST); QStash calls the first one
  --stage NAME    deploy a separate set of workers with its own bucket, roles and settings, such as staging
  --only GROUP    write the secrets of this worker only, and deploy it only
  --plan          print what would be done, and change nothing
  --url URL       where the rehearsed turn is sent (default: the first host)
  --dry-run       build the workers, but ask, check and upload nothing
  --help          print this text`

const { values } = parseArgs({
  options: {
    host: { type: "string", default: process.env.TURNPIKE_HOST ?? "" },
    stage: { type: "string" },
    only: { type: "string" },
    plan: { type: "boolean", default: false },
    url: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

const all = await groups()

function checkOptions(): void {
  if (values.stage !== undefined && !/^[a-z][a-z0-9-]{0,20}$/.test(values.stage)) {
    throw new DeployFault(
      "--stage must be a name of at most 21 lower-case letters, digits and dashes that starts with a letter.",
    )
  }
  if (values.only !== undefined && !all.includes(values.only)) {
    throw new DeployFault(`--only must be one of ${all.join(", ")}.`)
  }
}

/** Builds every worker without uploading it. */
async function build(chosen: string[]): Promise<void> {
  const hosts = values.host === "" ? [PLACEHOLDER_HOST] : readHosts(values.host)
  const file = `wrangler.${values.stage ?? "deploy"}.toml`
  const text = await readFile("wrangler.toml", "utf8")
  await writeFile(file, deployConfig(text, { hosts, groups: all, stage: values.stage }))
  for (const group of chosen) {
    console.log(`— ${group}${values.stage ? ` (${values.stage})` : ""}: ${hosts.join(", ")}`)
    await wrangler(["deploy", "--config", file, "--env", group, "--minify", "--dry-run"], {
      show: true,
      env: { WEB_APP_IS_BUILT: "1" },
    })
  }
}

async function main(): Promise<void> {
  checkOptions()
  const chosen = values.only ? [values.only] : all
  if (values["dry-run"]) return build(chosen)
  // Cloudflare's own build ("Deploy to Cloudflare") deploys the single worker with all groups.
  if (process.env.WORKERS_CI === "1") return void (await wrangler(["deploy"], { show: true }))
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
  try {
    const deployment = {
      folder: ".",
      host: values.host,
      stage: values.stage,
      groups: chosen,
      plan: values.plan,
      url: values.url,
    }
    const ask = terminal && ((question: string) => terminal.question(question))
    await deploy(deployment, { wrangler, fetch, log: (line) => console.log(line), ask })
  } finally {
    terminal?.close()
  }
}

if (values.help) console.log(USAGE)
else {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof DeployFault)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
