import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { type AddressInfo, connect, createServer } from "node:net"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openConnections } from "../../src/local/connections.ts"
import { newSignInUrl, startDemoSignIn } from "../../src/local/demo-sign-in.ts"
import { createNeon } from "../../src/local/neon.ts"
import { freePort } from "../../src/local/postgres.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"

/** Variables that would make the stack differ from a new developer's stack. */
const FOREIGN = /^(DATABASE_URL|REDIS_URL|ANTHROPIC_.*|OPENAI_.*|TURNPIKE_.*)$/

let dir: string
let child: ChildProcess | undefined
beforeEach(async () => {
  dir = await makeDataDirectory("stack")
})
afterEach(async () => {
  child?.kill("SIGKILL")
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

/**
 * Runs `npm run stack` in its own folder. Returns its exit, its output, and a promise for the end
 * of its output.
 */
function runStack(port: number, data = "data") {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)))
  const args = [resolve("src/local/start-stack.ts"), "--port", String(port), "--data", join(dir, data)]
  const own = spawn("node", args, { cwd: dir, env })
  child = own
  own.once("exit", endWithUs({ pid: own.pid as number, words: [dir], signals: ["SIGTERM", "SIGKILL"] }))
  const output = { text: "" }
  const ended = once(own, "exit").then(([code]) => code as number)
  const ready = new Promise<void>((done) => {
    for (const stream of [own.stdout, own.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output.text += chunk
        if (/^Ctrl-C ends it/m.test(output.text)) done()
      })
    }
  })
  return { own, output, ended, ready: Promise.race([ready, ended]) }
}

test("The command `npm run stack` writes all of a worker's variables to .dev.vars, and removes the file when it ends", async () => {
  const port = await freePort()
  const { own, output, ended, ready } = runStack(port)
  await ready
  expect(output.text).toContain(`npx wrangler dev --port ${port}`)
  const vars = parseEnv(await readFile(join(dir, ".dev.vars"), "utf8"))
  expect(vars).toMatchObject({ CALLBACKS_URL: `http://127.0.0.1:${port}`, ALLOW_PRIVATE_TARGETS: "1" })
  const answer = await fetch(vars.DATABASE_HTTP_URL as string, {
    method: "POST",
    headers: { "neon-connection-string": vars.DATABASE_URL as string },
    body: JSON.stringify({ query: "select count(*)::int as keys from api_keys", params: [] }),
  })
  expect(JSON.stringify(await answer.json())).toContain('"2"')
  await expectShut(vars as Record<string, string>)
  await expectOwnPagesOnly(vars as SignInVars, `http://127.0.0.1:${port}`)
  await expectCutsSurvived(vars.DATABASE_URL as string)
  own.kill("SIGINT")
  expect(await ended).toBe(0)
  await expect(access(join(dir, ".dev.vars"))).rejects.toThrow("ENOENT")
})

test("A second data directory changes neither the keys of the first one nor the variables of its stack", async () => {
  const [keys, port] = [join(dir, ".local", "demo.json"), await freePort()]
  await mkdir(join(dir, ".local"))
  await writeFile(keys, "the keys of `npm start`\n")
  const first = runStack(port)
  await first.ready
  const vars = await readFile(join(dir, ".dev.vars"), "utf8")
  const second = runStack(await freePort(), "other")
  expect(await second.ended).toBe(1)
  expect(second.output.text).toContain(`another \`npm run stack\` (process ${first.own.pid})`)
  expect(await readFile(join(dir, ".dev.vars"), "utf8")).toBe(vars)
  expect(await readFile(keys, "utf8")).toBe("the keys of `npm start`\n")
  expect(JSON.parse(await readFile(join(dir, "data", "demo.json"), "utf8"))).toHaveProperty("admin.password")
  first.own.kill("SIGINT")
  expect(await first.ended).toBe(0)
})

/**
 * Asserts that a page of another site, or a user who knows how `npm start` names things, cannot use
 * the stack.
 */
async function expectShut(vars: Record<string, string>) {
  const at = new URL(vars.DATABASE_HTTP_URL as string)
  const ask = (headers: Record<string, string>, query: string) =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      const options = { host: "127.0.0.1", port: at.port, path: at.pathname, method: "POST", headers }
      const call = request(options, (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => {
          text += chunk
        })
        response.on("end", () => done({ status: response.statusCode ?? 0, text }))
      })
      call.on("error", fail)
      call.end(JSON.stringify({ query, params: [] }))
    })
  const credentials = { "neon-connection-string": vars.DATABASE_URL as string }
  const host = `127.0.0.1:${at.port}`
  expect((await ask({ ...credentials, host: `localhost:${at.port}` }, "select 1")).status).toBe(200)
  for (const strange of [
    { host: `evil.test:${at.port}` },
    { host: "127.0.0.1.evil.test" },
    { host, origin: "https://evil.test" },
    { host, origin: "null" },
  ]) {
    expect((await ask({ ...credentials, ...strange }, "select 1")).status, JSON.stringify(strange)).toBe(403)
  }
  const known = {
    host,
    "neon-connection-string": `postgres://turnpike:turnpike@${new URL(vars.DATABASE_URL as string).host}/turnpike`,
  }
  expect(await ask(known, "select 1")).toMatchObject({
    status: 400,
    text: expect.stringContaining("authentication failed"),
  })
  for (const query of [
    "copy (select 1) to program 'true'",
    "create role mine superuser",
    "select password_hash from users limit 0; drop table users",
  ]) {
    const { status, text } = await ask({ host, ...credentials }, query)
    expect([status, text], query).toEqual([400, expect.stringMatching(/"code":"(42501|42601)"/)])
  }
  const secrets = [vars.DATABASE_URL, vars.UPSTASH_REDIS_REST_TOKEN, vars.QSTASH_TOKEN, vars.QSTASH_CURRENT_SIGNING_KEY]
  for (const secret of secrets)
    expect(secret).not.toMatch(/local-redis-token|ZWZhdWx0|7kYjw48mhY7kAjqNGcy6cr29RJ6r|:turnpike@/)
  const qstash = await fetch(`${vars.QSTASH_URL}/v2/keys`, { headers: { authorization: "Bearer known" } })
  expect(qstash.status).toBe(401)
}

type SignInVars = Record<"DATABASE_URL" | "UPSTASH_REDIS_REST_URL" | "UPSTASH_REDIS_REST_TOKEN", string>

/**
 * Asserts that the sign-in links of `npm start` work only in this machine's browser and under this
 * machine's name.
 */
async function expectOwnPagesOnly(vars: SignInVars, baseUrl: string) {
  const port = await freePort()
  const url = newSignInUrl(port)
  const { stop } = await startDemoSignIn({ url, baseUrl, databaseUrl: vars.DATABASE_URL, redis: vars })
  const ask = (headers: Record<string, string>, path = new URL(url).pathname) =>
    new Promise<[number | undefined, string | undefined]>((done, fail) => {
      const call = request({ host: "127.0.0.1", port, path: `${path}?as=Admin`, headers }, (response) => {
        response.resume().on("end", () => done([response.statusCode, response.headers.location]))
      })
      call.on("error", fail).end()
    })
  try {
    const host = `127.0.0.1:${port}`
    expect(await ask({ host })).toEqual([302, expect.stringContaining(`${baseUrl}/magic#token=`)])
    // Another user of the machine can reach the port but does not know the path.
    for (const path of ["/", "/demo", newSignInUrl(port).slice(-33)]) {
      expect(await ask({ host }, path), path).toEqual([404, undefined])
    }
    for (const strange of [{ host: `evil.test:${port}` }, { host, origin: "https://evil.test" }]) {
      expect(await ask(strange), JSON.stringify(strange)).toEqual([403, undefined])
    }
  } finally {
    await stop()
  }
}

/**
 * Asserts that a connection that is lost silently during a batch is an error of that batch, and
 * that the next batch has a new connection.
 */
async function expectCutsSurvived(databaseUrl: string) {
  const at = new URL(databaseUrl)
  const { hostname: host, port } = at
  const between = createServer((socket) => {
    const server = connect({ host, port: Number(port) })
    socket.on("data", (chunk) => (chunk.includes("lost here") ? server.destroy() : server.write(chunk)))
    server.on("data", (chunk) => socket.write(chunk)).on("close", () => socket.destroy())
    for (const end of [socket, server]) end.on("error", () => {})
    socket.on("close", () => server.destroy())
  })
  await new Promise<void>((done) => between.listen(0, "127.0.0.1", done))
  at.port = String((between.address() as AddressInfo).port)
  const connections = openConnections([at.href])
  const neon = createNeon({ connections })
  const batch = async (...texts: string[]) => {
    const body = Buffer.from(JSON.stringify({ queries: texts.map((query) => ({ query, params: [] })) }))
    const headers = { "neon-connection-string": at.href }
    return (await neon({ method: "POST", path: "/sql", search: "", headers, body })).status
  }
  try {
    for (const expected of [200, 500, 200]) {
      expect(await batch("select 1", expected === 200 ? "select 2" : "select 'lost here'")).toBe(expected)
    }
  } finally {
    await connections.end()
    between.close()
  }
}

test("The command `npm run stack` refuses to replace a .dev.vars that a person wrote", async () => {
  await writeFile(join(dir, ".dev.vars"), "MINE=1\n")
  const { output, ended } = runStack(await freePort())
  expect(await ended).toBe(1)
  expect(output.text).toMatch(/^\s*\.dev\.vars was not written by `npm run stack`, so it is not changed\. [^\n]+\n$/)
  expect(await readFile(join(dir, ".dev.vars"), "utf8")).toBe("MINE=1\n")
})
