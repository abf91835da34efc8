import { connect, type Socket } from "node:net"
import type { Site } from "./site.ts"

const MiB = 1024 * 1024

/** A client with its own API key, or without one. */
export interface Attacker {
  site: Site
  key: string
  space: string
  /** The URL of the client's server (hostile-server.ts). */
  server: string
}

export type Attack = (attacker: Attacker) => Promise<unknown>

const MANY_KEYS = JSON.stringify(Object.fromEntries(Array.from({ length: 121_836 }, (_, n) => [n.toString(36), 1])))
const EXPONENTIAL = ["^(a|a)*$", "^(a+)+$", "^(a|aa)+$", "^(.*a){20}$", "^([a-z]+)*$", "(x+x+)+y"]

export async function callSite(
  { site, key }: Attacker,
  method: string,
  path: string,
  body?: string,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, "idempotency-key": crypto.randomUUID() }
  if (body !== undefined) headers["content-type"] = "application/json"
  const response = await fetch(site.runtime.url + path, { method, headers, ...(body !== undefined && { body }) })
  return response
}

const drop = async (answer: Promise<Response>) => void (await (await answer).arrayBuffer())

const tool = (attacker: Attacker, schema: object) => ({
  name: "attack",
  description: "Attacks.",
  input_schema: { type: "object", properties: schema },
  request: { method: "POST", url: `${attacker.server}/endless` },
})

/** Sends a turn that calls a tool, and waits until it has ended. */
export async function attackTurn(attacker: Attacker, text: string, user: string = crypto.randomUUID()): Promise<void> {
  const body = JSON.stringify({ space: attacker.space, end_user_ref: user, text })
  const accepted = await callSite(attacker, "POST", "/v1/turns", body)
  if (accepted.status !== 202) throw new Error(await accepted.text())
  const { turn_id } = (await accepted.json()) as { turn_id: string }
  for (;;) {
    const turn = (await (await callSite(attacker, "GET", `/v1/turns/${turn_id}?wait=30`)).json()) as { state: string }
    if (turn.state !== "queued" && turn.state !== "running") return
  }
}

async function withTool(attacker: Attacker, schema: object, input: object): Promise<void> {
  const path = `/v1/spaces/${attacker.space}/tools/attack`
  const { name: _name, ...body } = tool(attacker, schema)
  const made = await callSite(attacker, "PUT", path, JSON.stringify(body))
  await made.arrayBuffer()
  if (made.ok) await attackTurn(attacker, `[call attack ${JSON.stringify(input)}]`)
  await drop(callSite(attacker, "DELETE", path))
}

export async function useMcp(attacker: Attacker, kind: string): Promise<void> {
  const body = JSON.stringify({ url: `${attacker.server}/mcp/${kind}` })
  const made = await callSite(attacker, "PUT", `/v1/spaces/${attacker.space}/mcp-servers/m${kind}`, body)
  if (!made.ok) throw new Error(await made.text())
  await made.arrayBuffer()
}

/** Requests that block all clients of a worker if the worker has no limits for them. */
export const BLOCKING: Record<string, Attack> = {
  "121,836 fields, without a key": async ({ site }) =>
    drop(
      fetch(`${site.runtime.url}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
        body: MANY_KEYS,
      }),
    ),
  "121,836 fields, with a key": (attacker) => drop(callSite(attacker, "POST", "/v1/spaces", MANY_KEYS)),
  "a pattern of 1 MB": (attacker) =>
    withTool(attacker, { a: { type: "string", pattern: "(a|b)".repeat(200_000) } }, { a: "a" }),
  "exponential patterns": async (attacker) => {
    for (const pattern of EXPONENTIAL) {
      await withTool(attacker, { a: { type: "string", pattern } }, { a: `${"a".repeat(40_000)}!` })
    }
  },
  "formats of 64 KiB": async (attacker) => {
    for (const format of ["url", "uri", "email", "date-time", "hostname", "ipv6"]) {
      await withTool(attacker, { a: { type: "string", format } }, { a: `http://${"a-".repeat(31_000)}!` })
    }
  },
  "an outputSchema": async (attacker) => {
    await useMcp(attacker, "schema")
    await attackTurn(attacker, "[call mschema__attack {}]")
    await drop(callSite(attacker, "DELETE", `/v1/spaces/${attacker.space}/mcp-servers/mschema`))
  },
}

/** Starts an upload that declares 100 MB, sends a part and then stalls. Returns a function that aborts it. */
export function stallUpload(attacker: Attacker, sentBytes: number): () => void {
  const path = `/v1/spaces/${attacker.space}/files?name=stalled.bin`
  const socket = beginRequest(attacker, "POST", path, [`content-length: ${100 * MiB}`])
  socket.write(Buffer.alloc(sentBytes, "x"))
  return () => socket.destroy()
}

/** Starts a download and reads nothing. Returns a function that aborts it. */
export function stallDownload(attacker: Attacker, file: string): () => void {
  const socket = beginRequest(attacker, "GET", `/v1/files/${file}/content`)
  socket.pause()
  return () => socket.destroy()
}

/** Sends a JSON body that stops before its end. Returns a function that aborts it. */
export function stallJson(attacker: Attacker): () => void {
  const headers = ["content-type: application/json", `content-length: ${MiB}`]
  const socket = beginRequest(attacker, "POST", "/v1/turns", headers)
  socket.write(`{"text":"${"x".repeat(MiB - 1000)}`)
  return () => socket.destroy()
}

/** Sends the head of a request over a socket, because fetch would always complete the request. */
function beginRequest({ site, key }: Attacker, method: string, path: string, headers: string[] = []): Socket {
  const { hostname, port } = new URL(site.runtime.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  const head = [`${method} ${path} HTTP/1.1`, `host: ${hostname}:${port}`, `authorization: Bearer ${key}`, ...headers]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  return socket
}
