import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { groups, wrangler } from "../../scripts/wrangler.ts"

const V1_LIMIT_KIB = 440

const CHECKED = ["", ...(await groups())]

test.each(CHECKED)("The command wrangler deploy --dry-run passes for the environment '%s'", async (group) => {
  const out = await mkdtemp(join(tmpdir(), "turnpike-deploy-"))
  try {
    const printed = await wrangler(["deploy", "--dry-run", "--minify", "--env", group, "--outdir", out])
    expect(printed).toContain("--dry-run: exiting now")
    const name = (await readdir(out)).find((file) => file.endsWith(".js")) ?? ""
    const bundle = await readFile(join(out, name))
    const kib = gzipSync(bundle).length / 1024
    console.log(`${group || "all"}: ${kib.toFixed(1)} KiB gzipped`)
    if (group === "v1") expect(kib, "v1 stays small").toBeLessThan(V1_LIMIT_KIB)
    // The code that builds the documents is not included.
    expect(bundle.includes("x-codeSamples")).toBe(false)
    // Only the callbacks worker contains the model SDK.
    expect(bundle.includes("AI_APICallError")).toBe(group === "" || group === "callbacks")
  } finally {
    await rm(out, { recursive: true, force: true })
  }
})
