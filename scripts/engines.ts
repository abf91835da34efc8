import { execFile, spawn } from "node:child_process"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { CLIENT_PACKAGE } from "../client/src/names.ts"
import { freePort } from "../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { endWithUs } from "../src/local/watchdog.ts"

/**
 * `npm run engines [-- 20 22]` runs the published packages with releases of Node from the npm package `node`: the
 * client, the provider for the AI SDK, and the local service up to its first bill. npm refuses a package outside of
 * its `engines`, so only these releases are tried.
 */
const RELEASES = ["20", "22", "24", "26"]
const run = promisify(execFile)
const wanted = process.argv.slice(2)
const dir = await makeTemporaryDirectory("engines")
const client = join(dir, "client")
const aiSdk = join(dir, "ai-sdk")
const service = join(dir, "dev")
await run(process.execPath, ["scripts/build-client.ts", client])
await run(process.execPath, ["scripts/build-ai-sdk.ts", aiSdk])
await run(process.execPath, ["scripts/build-dev.ts", service])
await symlink(resolve("node_modules"), join(dir, "node_modules"))
// The client of this checkout's packages is not built.
await mkdir(join(aiSdk, "node_modules", CLIENT_PACKAGE, ".."), { recursive: true })
await symlink(client, join(aiSdk, "node_modules", CLIENT_PACKAGE))

for (const release of wanted.length > 0 ? wanted : RELEASES) {
  const folder = join(dir, `node${release}`)
  await mkdir(folder)
  await writeFile(join(folder, "package.json"), '{"private":true}')
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `node@${release}`])
  const node = join(folder, "node_modules/node/bin/node")
  const version = (await run(node, ["--version"])).stdout.trim()
  const checks = [
    { name: "client", folder: client, check: () => checkClient(node) },
    { name: "provider for the AI SDK", folder: aiSdk, check: () => exportsOf(node, aiSdk) },
    { name: "local service", folder: service, check: () => checkService(node) },
  ]
  for (const { name, folder: place, check } of checks) {
    const lowest = await lowestOf(place)
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

async function exportsOf(node: string, place: string): Promise<string> {
  const code = `console.log(Object.keys(await import(${JSON.stringify(join(place, "lib/index.js"))})).length)`
  const { stdout } = await run(node, ["--input-type=module", "-e", code])
  return `exports ${stdout.trim()} names`
}

async function checkClient(node: string): Promise<string> {
  const exported = await exportsOf(node, client)
  const { bin } = JSON.parse(await readFile(join(client, "package.json"), "utf8")) as { bin: Record<string, string> }
  const { stdout: version } = await run(node, [join(client, Object.values(bin)[0] as string), "--version"])
  return `${exported}, command line ${version.trim()}`
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
