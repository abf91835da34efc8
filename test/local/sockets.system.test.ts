import { symlink } from "node:fs/promises"
import { join, resolve } from "node:path"
import { afterEach, expect, test } from "vitest"
import { servicePort } from "../../scripts/service-port.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { listeningSockets } from "../harness/listening.ts"
import { runProgram } from "../harness/packed-client.ts"
import { startProgram } from "../harness/running-program.ts"
import { strangerAt } from "../harness/stranger.ts"

/** Variables that would make the services differ from those of a new developer. */
const FOREIGN = /^(DATABASE_URL|REDIS_URL|ANTHROPIC_.*|OPENAI_.*|TURNPIKE_.*)$/

let running: ReturnType<typeof startProgram> | undefined
afterEach(async () => {
  await running?.interrupt()
})

/** Starts a service with new data and waits until it runs. Returns its process. */
async function start(program: string, args: string[], cwd: string, dataDir: string): Promise<number> {
  const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))
  const env = { ...Object.fromEntries(own), TURNPIKE_DEMO: join(dataDir, "demo.json") }
  const options = ["--port", String(await servicePort()), "--data", join(dataDir, "data")]
  running = startProgram(program, [...args, ...options], { cwd, env })
  await running.says(/^Ctrl-C ends it/m)
  return running.pid
}

/**
 * The servers of a process tree and their protocols, sorted. Fails if one can be reached from another machine, or by
 * another user of this machine without a key.
 */
async function serversOf(pid: number): Promise<string[]> {
  const servers: string[] = []
  for (const { protocol, address, port, command } of await listeningSockets(pid)) {
    const name = /workerd|postgres|[\w-]+(?=\.[jt]s)/.exec(command.replace(/^\S*node /, ""))?.[0]
    expect([protocol, address], `${name}, port ${port}`).toEqual(["tcp", "127.0.0.1"])
    const { protocol: spoken, accepted } = await strangerAt(port)
    expect(accepted, `${name}, port ${port}`).toEqual([])
    servers.push(`${name}: ${spoken}`)
  }
  return servers.sort()
}

const STAND_INS = (program: string) => ["postgres: PostgreSQL", `${program}: HTTP`, `${program}: Redis`]
const WORKER = ["worker-process: HTTP", "workerd: HTTP"]

// The kernel's list of sockets is a file on Linux only.
const onLinux = test.runIf(process.platform === "linux")

onLinux("Each server of `npm start` listens on loopback only and refuses a stranger", async () => {
  const pid = await start("npm", ["start", "--"], resolve("."), await makeDataDirectory("sockets"))
  const signIn = "start: HTTP"
  expect(await serversOf(pid)).toEqual(["container-process: HTTP", ...STAND_INS("start"), signIn, ...WORKER].sort())
})

onLinux("Each server of `npm run stack` listens on loopback only and refuses a stranger", async () => {
  const dir = await makeDataDirectory("sockets")
  const pid = await start("node", [resolve("src/local/start-stack.ts")], dir, dir)
  expect(await serversOf(pid)).toEqual(STAND_INS("start-stack").sort())
})

onLinux("Each server of the published local service listens on loopback only and refuses a stranger", async () => {
  const dir = await makeDataDirectory("sockets")
  await runProgram("node", ["scripts/build-dev.ts", join(dir, "dev")])
  await symlink(resolve("node_modules"), join(dir, "node_modules"))
  const pid = await start("node", [join(dir, "dev/src/local/start-package.js")], dir, dir)
  const signIn = "start-package: HTTP"
  expect(await serversOf(pid)).toEqual([...STAND_INS("start-package"), signIn, ...WORKER].sort())
})
