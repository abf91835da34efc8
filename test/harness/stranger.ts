import { connect } from "node:net"

/** PostgreSQL's StartupMessage of a superuser (https://www.postgresql.org/docs/18/protocol-message-formats.html). */
function startupMessage(): Buffer {
  const text = Buffer.from("\0\x03\0\0user\0turnpike\0database\0postgres\0\0", "latin1")
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length + 4)
  return Buffer.concat([length, text])
}

/** Ways in that some server of the local service has, or had. */
const DOORS = [
  "/v1/me",
  "/v1/turns",
  "/api/auth/me",
  "/api/account/keys",
  "/api/admin/users",
  "/api/health",
  "/callbacks/run",
  "/cdn-cgi/local/scheduled",
  "/cdn-cgi/local/explorer/api/r2/buckets",
  "/core/log",
  "/mcp",
  "/demo?as=Admin",
  "/control/namespaces",
  "/local/control/sql",
  "/local/pg/sql",
  "/local/redis",
  "/local/redis/flushdb",
  "/local/qstash/v2/keys",
  "/local/qstash/v2/publish/http://127.0.0.1:1/",
]

/**
 * Uses a port of this machine as another user without any key: by the protocols of Redis, PostgreSQL and HTTP. Returns
 * how the server refuses, and the names of the ways in that it does not refuse.
 */
export async function strangerAt(port: number): Promise<{ protocol: string; accepted: string[] }> {
  const redis = await say(port, Buffer.from("*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\n"))
  if (/^[-*+$:]/.test(redis)) return { protocol: "Redis", accepted: redis.startsWith("-NOAUTH ") ? [] : [redis] }
  const postgres = await say(port, startupMessage())
  // R: an authentication request. Its code is 0 if no password is needed.
  if (postgres.startsWith("R")) {
    return { protocol: "PostgreSQL", accepted: postgres.slice(5, 9) === "\0\0\0\0" ? [postgres] : [] }
  }
  const accepted: string[] = []
  for (const door of DOORS) {
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? '{"query":"select 1","params":[]}' : null
      const init = { method, body, redirect: "manual", headers: { "content-type": "application/json" } } as const
      const { status } = await fetch(`http://127.0.0.1:${port}${door}`, init)
      if (status < 400) accepted.push(`${method} ${door}: ${status}`)
    }
  }
  return { protocol: "HTTP", accepted }
}

/** Sends bytes, and returns the beginning of the answer. Empty if the server closes the connection. */
function say(port: number, bytes: Buffer): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.once("data", (chunk) => {
      socket.destroy()
      done(chunk.toString("latin1"))
    })
    socket.once("close", () => done(""))
    socket.once("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? done("") : fail(error)))
  })
}
