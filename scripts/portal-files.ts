import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { PORTAL_FILES } from "../src/portal/page.ts"
import { tokens } from "../src/reference/site.ts"

const ROOT = join(import.meta.dirname, "../dashboard/portal")

/** The most that the portal's page may load, gzipped, in KiB. */
const PORTAL_BUDGET_KIB = 60

/** The files of the portal's page by their paths. Throws if they exceed their budget. */
export async function portalFiles(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "main.tsx")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  })
  const files = new Map([
    [PORTAL_FILES.script, outputFiles[0]?.text ?? ""],
    [PORTAL_FILES.style, `${tokens()}\n${readFileSync(join(ROOT, "portal.css"), "utf8")}`],
  ])
  const kib = [...files.values()].reduce((sum, text) => sum + gzipSync(text).length, 0) / 1024
  if (kib > PORTAL_BUDGET_KIB)
    throw new Error(`The portal has ${kib.toFixed(1)} KiB. Shrink it to ${PORTAL_BUDGET_KIB} KiB.`)
  return files
}
