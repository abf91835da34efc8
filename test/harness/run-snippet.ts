import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** The folder of a reader who pastes snippets into files and a shell. */
export async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "pasted-"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "pasted", private: true, type: "module" }))
  // The name that the snippet for files has.
  await writeFile(join(folder, "report.pdf"), "%PDF-1.4")
  const variables = (own: Record<string, string>) => ({
    PATH: process.env.PATH,
    HOME: folder,
    // Without another network: npm may ask no registry.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_cache: join(folder, "cache"),
    ...own,
  })
  const start = (file: string, args: string[], own: Record<string, string>) =>
    run(file, args, { cwd: folder, env: variables(own) }).then(({ stdout }) => stdout)
  return {
    folder,
    variables,
    /** Runs a snippet with `sh`. The first failing command ends it. */
    sh: (code: string, own: Record<string, string> = {}) => start("sh", ["-ec", code], own),
    async node(code: string, own: Record<string, string> = {}) {
      await writeFile(join(folder, "pasted.mjs"), code)
      return start(process.execPath, ["pasted.mjs"], own)
    },
    async python(code: string, own: Record<string, string> = {}) {
      await writeFile(join(folder, "pasted.py"), code)
      return start("python3", ["pasted.py"], own)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
