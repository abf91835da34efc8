import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import type { Demo } from "./demo.ts"
import { freePort } from "./postgres.ts"
import { programPath } from "./program-path.ts"

const PROGRAM = programPath("container-process")
const STARTS_WITHIN_MS = 120_000
const NAME = "demo"

export interface LocalContainer {
  url: string
  /** The URL that it had at the last start; null if this is the first start. */
  former: string | null
  stop(): Promise<unknown>
}

const newPath = () => `/${randomBytes(24).toString("base64url")}/mcp`

/** The URL of the last start. Earlier releases wrote only the port, and had no random path. */
async function formerUrl(dataDir: string): Promise<URL | null> {
  const url = await readFile(join(dataDir, "container.url"), "utf8").catch(() => "")
  if (url !== "") return URL.parse(url)
  const port = await readFile(join(dataDir, "container.port"), "utf8").catch(() => "")
  return port === "" ? null : URL.parse(`http://127.0.0.1:${port}/mcp`)
}

/**
 * Starts the demo's container, an MCP server that gets no variables of ours. It uses the port of the last start if that
 * is free. Its URL has a random path, because other users of this machine can reach the port.
 */
export async function startContainer(dataDir: string): Promise<LocalContainer> {
  const former = await formerUrl(dataDir)
  const port = await freePort(Number(former?.port ?? 0))
  const path = former === null || former.pathname === "/mcp" ? newPath() : former.pathname
  const url = `http://127.0.0.1:${port}${path}`
  await writeFile(join(dataDir, "container.url"), url, { mode: 0o600 })
  const log = createWriteStream(join(dataDir, "container.log"), { mode: 0o600 })
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ["pipe", "pipe", "pipe"],
    // Not an argument, because all users of this machine can read command lines.
    env: { PORT: String(port), MCP_PATH: path, PATH: process.env.PATH },
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
  return { url, former: former?.href ?? null, stop }
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
