import { cp, mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PYTHON_MODULE } from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"
import { packWheel } from "../../scripts/pack-wheel.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { pythonVersion } from "../../src/reference/served-packages.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { runProgram } from "../harness/packed-client.ts"
import { findPython, installWheel, runSuite } from "../harness/python.ts"

const python = await findPython("httpx", "cryptography")
const builder = await findPython("hatchling", "build")
const checker = await findPython("mypy", "httpx", "cryptography")

describe.skipIf(!python)("The wheel of the Python client, in a new environment", () => {
  let client: Awaited<ReturnType<typeof installWheel>>
  let service: Started

  beforeAll(async () => {
    ;[client, service] = await Promise.all([installWheel(python as string), npmStart()])
  })

  afterAll(() => Promise.all([client?.remove(), service?.stop()]))

  test("The package is imported from the wheel, with the type marker and the licence", async () => {
    const code = `import pathlib, ${PYTHON_MODULE} as own; print(own.__version__); print(pathlib.Path(own.__file__).parent)`
    const { stdout } = await runProgram(client.python, ["-c", code])
    const [version, folder = ""] = stdout.trim().split("\n")
    expect(version).toBe(pythonVersion(VERSION))
    expect(folder.startsWith(client.dir)).toBe(true)
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["py.typed", "LICENSE"]))
  })

  test("The client's own suite passes with scripted answers and injected time", async () => {
    expect(await runSuite(client, ["discover", "-s", "tests", "-t", "."])).toMatch(/^Ran \d+ tests[\s\S]*\nOK\n$/m)
  })

  test("Every operation has a method, its sample sends the example, and example answers are read without a loss", async () => {
    expect(await runSuite(client, ["tests.document"])).toMatch(/^Ran 2 tests[\s\S]*\nOK\n$/m)
  })

  test("Both clients work with a running service", async () => {
    const { base_url, api_key, test_key } = service
    const env = { TURNPIKE_BASE_URL: base_url, TURNPIKE_API_KEY: api_key, TURNPIKE_TEST_KEY: test_key }
    expect(await runSuite(client, ["tests.live"], env)).toMatch(/^Ran \d+ tests[\s\S]*\nOK\n$/m)
  })

  test.each(["README.md", "client-python/README.md"])("The first program of %s runs as written", async (page) => {
    const [, code = ""] = /```python\n(.*?)```/s.exec(await readFile(page, "utf8")) ?? []
    const env = { PATH: process.env.PATH, TURNPIKE_BASE_URL: service.base_url, TURNPIKE_API_KEY: service.api_key }
    const { stdout } = await runProgram(client.python, ["-c", code], { env })
    expect(stdout).toMatch(/^done You said: Where is my order\? 0\.\d+\n$/)
  })

  test("A service with the web app serves the wheel, and pip installs it from there without another network", async () => {
    const { pathname } = new URL(`file://${client.wheel}`)
    const served = await fetch(`${service.base_url}/client/${pathname.split("/").at(-1)}`)
    expect(served.status).toBe(200)
    expect(Buffer.from(await served.arrayBuffer()).equals(await readFile(client.wheel))).toBe(true)
    const options = ["--no-index", "--no-deps", "--disable-pip-version-check", "--force-reinstall"]
    await runProgram(client.python, ["-m", "pip", "install", ...options, served.url])
  })

  test.skipIf(!checker)("The types of the package and of its tests are correct", async () => {
    const checked = join(client.dir, "checked")
    await mkdir(checked)
    for (const name of ["src", "tests", "pyproject.toml"])
      await cp(join("client-python", name), join(checked, name), { recursive: true })
    const { stdout } = await runProgram(checker as string, ["-m", "mypy", "--strict", "src", "tests"], {
      cwd: checked,
      env: { PATH: process.env.PATH, MYPYPATH: "src" },
    }).catch((error: { stdout: string }) => error)
    expect(stdout).toMatch(/^Success: no issues found in \d+ source files$/m)
  })
})

describe.skipIf(!builder)("The wheel that needs no Python to build", () => {
  test("The wheel equals that of hatchling, file by file", async () => {
    const client = await installWheel(builder as string)
    try {
      const project = join(client.dir, "project/client-python")
      await cp("client-python", project, { recursive: true })
      await cp("LICENSE", join(project, "../LICENSE"))
      const options = ["--wheel", "--no-isolation", "--skip-dependency-check", "--outdir", client.dir]
      await runProgram(builder as string, ["-m", "build", ...options, project])
      const built = join(client.dir, client.wheel.split("/").at(-1) ?? "")
      const recordOf = async (wheel: string) => {
        const code = `import sys, zipfile; archive = zipfile.ZipFile(sys.argv[1]); archive.testzip()
print(archive.read(next(name for name in archive.namelist() if name.endswith("/RECORD"))).decode())`
        const { stdout } = await runProgram(builder as string, ["-c", code, wheel])
        // Only this file names its builder.
        return stdout
          .split("\n")
          .filter((line) => line && !line.includes(".dist-info/WHEEL,"))
          .sort()
      }
      const own = await recordOf(client.wheel)
      expect(own.length).toBeGreaterThan(30)
      expect(own).toEqual(await recordOf(built))
    } finally {
      await client.remove()
    }
  })
})

test("Equal sources give a wheel with equal bytes", async () => {
  const [one, other] = await Promise.all(["wheel", "wheel"].map((name) => makeTemporaryDirectory(name)))
  const wheels = await Promise.all([packWheel(one as string), packWheel(other as string)])
  const [first, second] = await Promise.all(wheels.map((path) => readFile(path)))
  expect(first?.equals(second as Buffer)).toBe(true)
  console.log(`turnpike for Python: ${Math.round((first?.length ?? 0) / 1024)} KiB`)
})
