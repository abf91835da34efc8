import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import type { Demo } from "./demo.ts"
import { freePort } from "./postgres.ts"
import { programPath } from "./program-path.ts"

const PROGRAM = programPath("container-process")
const STARTS_WITHIN_MS = 20_000
const NAME = "demo"

export interface LocalContainer {
  url: string
  /** The URL that it had at the last start; null if this is the first start. */
  former: string | null
  stop(): Promise<unknown>
}

const urlAt = (port: number) => `http://127.0.0.1:${port}/mcp`

/**
 * Starts the demo's container, an MCP server that gets no variables of ours. It uses the port of the last start if that
 * is free.
 */
export async function startContainer(dataDir: string): Promise<LocalContainer> {
  const file = join(dataDir, "container.port")
  const known = Number(await readFile(file, "utf8").catch(() => ""))
  const port = await freePort(known)
  await writeFile(file, String(port))
  const log = createWriteStream(join(dataDir, "container.log"), { mode: 0o600 })
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PORT: String(port), PATH: process.env.PATH },
  })
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill()
    await ended
  }
  for (const until = Date.now() + STARTS_WITHIN_MS; !(await isTaken(port)); ) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop()
      throw new Error(`The container did not start; see ${join(dataDir, "container.log")}`)
    }
    await new Promise((done) => setTimeout(done, 50))
  }
  return { url: urlAt(port), former: known > 0 ? urlAt(known) : null, stop }
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    socket.once("error", () => done(false))
  })
}

const MAPPINGS = "/api/admin/system/containers/mappings"

/** Maps the demo's space to the container as an admin, unless an operator has changed the mapping. */
export async function mapDemoSpace(demo: Demo, space: string, { url, former }: LocalContainer): Promise<void> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" }
  const call = async (method: string, path: string, cookie: string, body?: object) => {
    const init = { method, headers: { ...headers, cookie }, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(demo.base_url + path, init)
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`)
    return response
  }
  const login = await call("POST", "/api/auth/login", "", demo.admin)
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  const found = await call("GET", `${MAPPINGS}?space=${space}&container=${NAME}`, cookie)
  const { items } = (await found.json()) as { items: { url: string }[] }
  const mapped = items[0]?.url
  if (mapped === undefined || (mapped === former && mapped !== url)) {
    await call("PUT", MAPPINGS, cookie, { container: NAME, space, url })
  }
}
