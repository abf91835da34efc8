import { spawn } from "node:child_process"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { documentOf } from "./documents.ts"

/** Checks every OpenAPI document with Redocly's strict rules. Warnings are failures. It makes no network calls. */
const DOCUMENTS = { v1: documentOf("v1"), dashboard: documentOf("dashboard") }

const dir = await makeTemporaryDirectory("openapi")
try {
  const files = Object.entries(DOCUMENTS).map(([name, document]) => ({ file: join(dir, `${name}.json`), document }))
  for (const { file, document } of files) await writeFile(file, JSON.stringify(document, null, 2))
  const child = spawn("redocly", ["lint", "--extends", "recommended-strict", ...files.map(({ file }) => file)], {
    stdio: "inherit",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
  })
  process.exitCode = await new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)))
} finally {
  await rm(dir, { recursive: true, force: true })
}
