import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { deployConfig, PLACEHOLDER_HOST, readHosts } from "./deploy-config.ts"
import { groups, wrangler } from "./wrangler.ts"

const USAGE = `npm run deploy -- --host H[,H2…] [OPTIONS] deploys every group of routes as its own worker.

  --host H[,H2…]  the hosts of the service (default: TURNPIKE_HOST); QStash calls the first one
  --only GROUP    deploy this worker only
  --stage NAME    deploy a separate set of workers with its own bucket, such as staging
  --dry-run       build the workers, but upload nothing; --host is not needed
  --help          print this text`

const { values } = parseArgs({
  options: {
    host: { type: "string", default: process.env.TURNPIKE_HOST ?? "" },
    stage: { type: "string" },
    only: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}
if (values.stage !== undefined && !/^[a-z][a-z0-9-]{0,20}$/.test(values.stage)) {
  throw new Error(
    "--stage must be a name of at most 21 lower-case letters, digits and dashes that starts with a letter.",
  )
}
const all = await groups()
if (values.only !== undefined && !all.includes(values.only)) throw new Error(`--only must be one of ${all.join(", ")}.`)

const hosts = values["dry-run"] && values.host === "" ? [PLACEHOLDER_HOST] : readHosts(values.host)
// Next to wrangler.toml, because the paths in it are relative to its folder.
const file = `wrangler.${values.stage ?? "deploy"}.toml`
await writeFile(
  file,
  deployConfig(await readFile("wrangler.toml", "utf8"), { hosts, groups: all, stage: values.stage }),
)

for (const group of values.only ? [values.only] : all) {
  const name = values.stage ? ["--name", `turnpike-${group}-${values.stage}`] : []
  const dry = values["dry-run"] ? ["--dry-run"] : []
  console.log(`— ${group}${values.stage ? ` (${values.stage})` : ""}: ${hosts.join(", ")}`)
  await wrangler(["deploy", "--config", file, "--env", group, "--minify", ...name, ...dry], { show: true })
}
