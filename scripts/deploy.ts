import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { deployConfig, PLACEHOLDER_HOST, readHosts } from "./deploy-config.ts"
import { groups, wrangler } from "./wrangler.ts"

/**
 * `npm run deploy -- --host H[,H2…] [--stage staging] [--only GROUP]`: every group as its own worker, on routes of those hosts; a stage is a
 * second, separate set.
 */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: process.env.TURNPIKE_HOST ?? "" },
    stage: { type: "string" },
    only: { type: "string" },
    "dry-run": { type: "boolean", default: false },
  },
})
if (values.stage !== undefined && !/^[a-z][a-z0-9-]{0,20}$/.test(values.stage)) {
  throw new Error("--stage takes a short name of lower-case letters, digits and dashes.")
}
const all = await groups()
if (values.only !== undefined && !all.includes(values.only)) throw new Error(`--only takes one of ${all.join(", ")}.`)

const hosts = values["dry-run"] && values.host === "" ? [PLACEHOLDER_HOST] : readHosts(values.host)
// Beside wrangler.toml, since its paths are relative to it.
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
