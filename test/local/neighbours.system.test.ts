import { chmod, mkdir, stat, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { cronUrl } from "../../src/local/dev-server.ts"
import { freePort } from "../../src/local/postgres.ts"
import { processes } from "../../src/local/processes.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** Checks which parts of `npm start` other users of the machine can reach through its ports and files. */
let service: Started
beforeAll(async () => {
  const dataDir = await makeDataDirectory("start")
  // Files as an earlier release has left them.
  const traces = join(dataDir, "wrangler", "v3", "observability")
  await mkdir(traces, { recursive: true })
  await writeFile(join(traces, "spans.sqlite"), "https://customer.test/?secret=1")
  await writeFile(join(dataDir, "worker.log"), "old")
  await chmod(join(dataDir, "worker.log"), 0o644)
  await chmod(dataDir, 0o755)
  service = await npmStart({ dataDir, port: await freePort() })
})
afterAll(() => service?.stop())

const modeOf = async (...path: string[]) => (await stat(join(service.dataDir, ...path))).mode & 0o777

function ask(port: number, path: string, { host, method = "GET" }: { host?: string; method?: string } = {}) {
  return new Promise<{ status: number | undefined; type: string | undefined; location: string | undefined }>(
    (done, fail) => {
      const headers = { host: host ?? `127.0.0.1:${port}` }
      const call = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
        const { "content-type": type, location } = response.headers
        response.resume().on("end", () => done({ status: response.statusCode, type, location }))
      })
      call.on("error", fail).end()
    },
  )
}

test("The data directory and its logs are accessible only to their owner", async () => {
  expect(await modeOf()).toBe(0o700)
  for (const file of ["worker.log", "worker.json", "demo.json", "secrets.keys"])
    expect(await modeOf(file), file).toBe(0o600)
})

test("No traces of requests are kept, and traces of an earlier start are removed", async () => {
  await expect(stat(join(service.dataDir, "wrangler", "v3", "observability"))).rejects.toThrow("ENOENT")
})

test("Only demo.json and the terminal show the path of the address that signs in", async () => {
  const { port, pathname } = new URL(service.sign_in_url as string)
  expect(pathname.length).toBeGreaterThan(30)
  expect(await ask(Number(port), "/?as=Admin")).toMatchObject({ status: 404, location: undefined })
  expect(await ask(Number(port), `${pathname}?as=Admin`)).toMatchObject({ status: 302 })
})

test("The cron trigger runs for `npm start` only", async () => {
  // `npm start` is ready only after one run.
  expect((await ask(service.port, new URL(cronUrl("http://worker.test")).pathname)).status).toBe(404)
})

test("The explorer of miniflare neither reads nor writes the bucket", async () => {
  const objects = "/cdn-cgi/local/explorer/api/r2/buckets/turnpike-files/objects"
  expect((await ask(service.port, objects)).status).toBe(404)
  expect((await ask(service.port, `${objects}/key`, { method: "PUT" })).status).toBe(404)
  const traces = "/cdn-cgi/local/explorer/api/local/observability/query"
  expect((await ask(service.port, traces, { method: "POST" })).status).toBe(404)
})

test("No process listens for an inspector", async () => {
  const all = await processes()
  const workers = all.filter(({ command }) => command.includes("workerd serve") && command.includes(`:${service.port}`))
  expect(workers.length).toBeGreaterThan(0)
  for (const { group } of workers) {
    for (const { command } of all.filter((one) => one.group === group)) expect(command).not.toMatch(/--inspect/)
  }
})

test("The worker's own port refuses the names of other hosts", async () => {
  expect(await ask(service.port, "/api/auth/me", { host: "evil.example" })).toMatchObject({ status: 403 })
  expect(await ask(service.port, "/api/auth/me", { host: `localhost:${service.port}` })).toMatchObject({ status: 401 })
})
