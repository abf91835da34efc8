import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { groups, wrangler } from "./wrangler.ts"

/** `npm run deploy [-- --stage staging] [--only GROUP]`: every group as its own worker; a stage is a second, separate set. */
const { values } = parseArgs({
  options: { stage: { type: "string" }, only: { type: "string" }, "dry-run": { type: "boolean", default: false } },
})
if (values.stage !== undefined && !/^[a-z][a-z0-9-]{0,20}$/.test(values.stage)) {
  throw new Error("--stage takes a short name of lower-case letters, digits and dashes.")
}
const all = await groups()
if (values.only !== undefined && !all.includes(values.only)) throw new Error(`--only takes one of ${all.join(", ")}.`)

const config = values.stage ? await configOf(values.stage) : []
for (const group of values.only ? [values.only] : all) {
  const name = values.stage ? ["--name", `turnpike-${group}-${values.stage}`] : []
  const dry = values["dry-run"] ? ["--dry-run"] : []
  console.log(`— ${group}${values.stage ? ` (${values.stage})` : ""}`)
  await wrangler(["deploy", "--env", group, "--minify", ...config, ...name, ...dry], { show: true })
}

/** A stage's configuration: the same, with a bucket of its own. */
async function configOf(stage: string): Promise<string[]> {
  const text = await readFile("wrangler.toml", "utf8")
  const file = `wrangler.${stage}.toml`
  await writeFile(file, text.replaceAll(/^(bucket_name = ".*)"$/gm, `$1-${stage}"`))
  return ["--config", file]
}
