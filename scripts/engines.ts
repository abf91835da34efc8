import { execFile, spawn } from "node:child_process"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { freePort } from "../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { endWithUs } from "../src/local/watchdog.ts"

/**
 * `npm run engines [-- 20 22]` runs the published packages with releases of Node from the npm package `node`, which it
 * installs in a temporary folder: the client as a library and as a command, and the local service up to its first bill.
 * A package is refused by npm outside of its `engines`, so only these releases are tried.
 */
const RELEASES = ["20", "22", "24", "26"]
const run = promisify(execFile)
const wanted = process.argv.slice(2)
const dir = await makeTemporaryDirectory("engines")
const client = join(dir, "client")
const service = join(dir, "dev")
await run(process.execPath, ["scripts/build-client.ts", client])
await run(process.execPath, ["scripts/build-dev.ts", service])
await symlink(resolve("node_modules"), join(dir, "node_modules"))

for (const release of wanted.length > 0 ? wanted : RELEASES) {
  const folder = join(dir, `node${release}`)
  await mkdir(folder)
  await writeFile(join(folder, "package.json"), '{"private":true}')
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `node@${release}`])
  const node = join(folder, "node_modules/node/bin/node")
  const version = (await run(node, ["--version"])).stdout.trim()
  const checks = { client: () => checkClient(node), "local service": () => checkService(node) }
  const folders = { client, "local service": service }
  for (const [name, check] of Object.entries(checks) as ["client" | "local service", () => Promise<string>][]) {
    const lowest = await lowestOf(folders[name])
    const isSupported = Number(release) >= lowest
    const said = isSupported ? await check().catch((error: Error) => error) : `not supported (Node ≥ ${lowest})`
    console.log(
      `${said instanceof Error ? "FAIL" : "ok  "} ${version} ${name}: ${said instanceof Error ? said.message : said}`,
    )
    if (said instanceof Error) process.exitCode = 1
  }
}

/** The major version of Node from which a package says that it works. */
async function lowestOf(folder: string): Promise<number> {
  const { engines } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { engines: { node: string } }
  return Number(/\d+/.exec(engines.node)?.[0])
}

async function checkClient(node: string): Promise<string> {
  const { stdout: exported } = await run(node, [
    "--input-type=module",
    "-e",
    `console.log(Object.keys(await import(${JSON.stringify(join(client, "lib/index.js"))})).length)`,
  ])
  const { bin } = JSON.parse(await readFile(join(client, "package.json"), "utf8")) as { bin: Record<string, string> }
  const { stdout: version } = await run(node, [join(client, Object.values(bin)[0] as string), "--version"])
  return `exports ${exported.trim()} names, command line ${version.trim()}`
}

/** Starts the service with new data, and ends it after its first bill. */
async function checkService(node: string): Promise<string> {
  const data = await makeTemporaryDirectory("engines-data")
  const program = join(service, "src/local/start-package.js")
  const child = spawn(node, [program, "--port", String(await freePort()), "--data", data], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_DEMO: join(data, "demo.json") },
  })
  child.once("exit", endWithUs({ pid: -(child.pid as number), words: [service], signals: ["SIGTERM", "SIGKILL"] }))
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  let output = ""
  try {
    return await new Promise<string>((done, fail) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          output += chunk
          const bill = /bill: {2}([\d.]+ USD)/.exec(output)?.[1]
          if (bill && /\] ready\./.test(output)) done(`first bill ${bill}`)
        })
      }
      child.once("exit", () => fail(new Error(`it ended:\n${output}`)))
    })
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}
