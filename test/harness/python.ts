import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { documentOf } from "../../scripts/documents.ts"
import { packWheel } from "../../scripts/pack-wheel.ts"
import { exampleAnswers } from "./example-answers.ts"

const run = promisify(execFile)

/** The first Python that has these packages. CI installs Debian's (`.ci/run`); other machines need none of them. */
export async function findPython(...packages: string[]): Promise<string | null> {
  for (const python of ["python3", "/usr/bin/python3"]) {
    const found = await run(python, ["-c", packages.map((name) => `import ${name}`).join("\n")]).then(
      () => true,
      () => false,
    )
    if (found) return python
  }
  if (process.env.CI) throw new Error(`CI needs a Python with ${packages.join(", ")}: see .ci/run.`)
  console.log(`Skipped: no Python on this machine has ${packages.join(", ")}.`)
  return null
}

/** A new environment of Python with the client's wheel, and the packages of the machine. It needs no network. */
export async function installWheel(python: string) {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-python-"))
  const wheel = await packWheel(dir)
  const environment = join(dir, "environment")
  await run(python, ["-m", "venv", "--system-site-packages", environment])
  const installed = join(environment, "bin/python")
  await run(installed, ["-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel])
  return {
    dir,
    wheel,
    python: installed,
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

/** Runs a suite of the Python client's tests on the installed wheel. Returns its report. */
export async function runSuite(
  { python, dir }: { python: string; dir: string },
  suite: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const document = join(dir, "openapi.json")
  await mkdir(dir, { recursive: true })
  const answers = join(dir, "answers.json")
  await writeFile(document, JSON.stringify(documentOf("v1")))
  await writeFile(answers, JSON.stringify(exampleAnswers("v1")))
  const { stderr } = await run(python, ["-W", "error", "-m", "unittest", ...suite], {
    cwd: "client-python",
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: "1",
      TURNPIKE_DOCUMENT: document,
      TURNPIKE_ANSWERS: answers,
      ...env,
    },
    maxBuffer: 2 ** 24,
  })
  return stderr
}
