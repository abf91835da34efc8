import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/**
 * The folder of a reader who pastes snippets into files and a shell. `python`: the reader works in an environment of
 * this Python, which has its packages.
 */
export async function openFolder({ python }: { python?: string | null } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "pasted-"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "pasted", private: true, type: "module" }))
  // The name that the snippet for files has.
  await writeFile(join(folder, "report.pdf"), "%PDF-1.4")
  const environment = join(folder, "environment")
  if (python) await run(python, ["-m", "venv", "--system-site-packages", environment])
  const variables = (own: Record<string, string>) => ({
    PATH: `${join(environment, "bin")}:${process.env.PATH}`,
    HOME: folder,
    // Without another network: npm and pip may ask no registry.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_cache: join(folder, "cache"),
    PIP_NO_INDEX: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
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
