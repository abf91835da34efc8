import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Unstable_Config, unstable_readConfig } from "wrangler"
import { deployConfig, PLACEHOLDER_HOST, readHosts } from "../../scripts/deploy/config.ts"
import { VARIABLES } from "../../scripts/deploy/variables.ts"
import { WORKERS } from "../../scripts/documents.ts"
import { groups } from "../../scripts/wrangler.ts"
import { removeWithUs } from "../../src/local/watchdog.ts"
import { headersFile } from "../../src/reference/page.ts"

const HOSTS = ["turnpike.acme.com", "app.brand.com"]
const PLACEMENT = { region: "aws:us-east-2" }
/** Environments that contain only static files. */
const PAGES = ["dashboard"]

let dir: string
const names = await groups()
const workers = names.filter((name) => !PAGES.includes(name))
const configs = new Map<string, Unstable_Config>()

beforeAll(async () => {
  // Next to wrangler.toml, as `npm run deploy` writes it.
  dir = await mkdtemp(join(".", ".wrangler-config-"))
  removeWithUs(resolve(dir))
  const text = await readFile("wrangler.toml", "utf8")
  const file = join(dir, "wrangler.toml")
  await writeFile(file, deployConfig(text, { hosts: HOSTS, groups: names, stage: "staging", placement: PLACEMENT }))
  for (const name of ["", ...names])
    configs.set(name, unstable_readConfig({ config: file, env: name }, { hideWarnings: true }))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const configOf = (name: string) => configs.get(name) as Unstable_Config
const routesOf = (name: string) =>
  (configOf(name).routes ?? []).map((route) => (typeof route === "string" ? route : route.pattern))

describe.each(names)("The worker %s, as wrangler resolves it,", (name) => {
  test("The worker is reached only by its routes on the deployment's hosts", () => {
    const config = configOf(name)
    expect(config.workers_dev).toBe(false)
    expect(config.preview_urls).toBe(false)
    expect(routesOf(name).length).toBeGreaterThan(0)
    for (const route of routesOf(name))
      expect(HOSTS.map((host) => `${host}/`).some((host) => route.startsWith(host))).toBe(true)
    expect(JSON.stringify(config)).not.toContain(PLACEHOLDER_HOST)
  })

  test("The worker leaves no address of a request in the platform's logs", () => {
    expect(configOf(name).observability).toMatchObject({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    })
  })

  test("The worker reaches the public Internet only and knows its own hosts", () => {
    const { compatibility_flags, vars, limits } = configOf(name)
    expect(compatibility_flags).toEqual(["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"])
    expect(vars).toMatchObject({ OWN_HOSTS: HOSTS.join(","), CALLBACKS_URL: `https://${HOSTS[0]}` })
    expect(limits?.cpu_ms).toBeLessThanOrEqual(300_000)
  })
})

test("Only the callbacks worker, and a worker with all groups, have a cron trigger", () => {
  const scheduled = ["", ...names].filter((name) => configOf(name).triggers.crons?.length)
  expect(scheduled).toEqual(["", "callbacks"])
})

test("Every worker uploads its source maps, and runs close to the database", () => {
  for (const name of ["", ...names]) expect(configOf(name).upload_source_maps).toBe(true)
  for (const name of workers) expect(configOf(name).placement).toEqual({ mode: "targeted", ...PLACEMENT })
  expect(configOf("dashboard").placement).toEqual({ mode: "off" })
})

test("A deploy of the worker with all groups builds the web app first", () => {
  expect(configOf("").build.command).toBe("npm run --silent build:worker")
})

test.each(workers)("The worker %s has the bucket of its stage", (name) => {
  expect(configOf(name).r2_buckets).toMatchObject([{ binding: "FILES", bucket_name: "turnpike-files-staging" }])
})

test("A single worker with all routes has an address of its own and no previews", () => {
  const { workers_dev, preview_urls, routes, observability } = configOf("")
  expect({ workers_dev, preview_urls, routes: routes ?? [] }).toEqual({
    workers_dev: true,
    preview_urls: false,
    routes: [],
  })
  expect(observability).toMatchObject({
    redact_query_string: true,
    logs: { invocation_logs: false },
    traces: { enabled: false },
  })
})

test("Each operation is routed to its worker, on every host", () => {
  /** Cloudflare compares the whole URL, with its query, and takes the most specific route. */
  const workerOf = (url: string) =>
    workers
      .flatMap((name) => routesOf(name).map((route) => ({ name, route })))
      .filter(({ route }) => (route.endsWith("*") ? url.startsWith(route.slice(0, -1)) : url === route))
      .sort((a, b) => b.route.length - a.route.length)[0]?.name
  for (const host of HOSTS) {
    for (const name of workers) {
      for (const { path } of WORKERS[name]?.operations ?? []) expect(workerOf(host + path), path).toBe(name)
    }
    for (const path of ["/callbacks/turns/x", "/callbacks/internal/tools"])
      expect(workerOf(host + path)).toBe("callbacks")
    // One worker serves the pages of both APIs, since they share their files.
    const documents = [
      "/docs",
      "/docs/page.js",
      "/llms.txt",
      "/llms-full.txt",
      "/v1/openapi.json",
      "/api/docs",
      "/api/docs/page.js",
      "/api/openapi.json",
    ]
    for (const path of documents)
      for (const query of ["", "?utm_source=x"]) expect(workerOf(host + path + query), path + query).toBe("v1")
  }
})

test("Static files have the headers of every worker answer, in the documents and in the web app", async () => {
  for (const text of [headersFile({ pagePaths: [], kept: [] }), await readFile("dashboard/public/_headers", "utf8")]) {
    const [path, ...forAll] = text.split(/\n(?=\S)/)[0]?.split(/\n */) ?? []
    expect(path).toBe("/*")
    expect(forAll).toEqual(
      expect.arrayContaining(["X-Content-Type-Options: nosniff", "Strict-Transport-Security: max-age=31536000"]),
    )
  }
})

test("A deployment writes the variables of the documentation to the workers that it names", async () => {
  const text = await readFile("docs/configuration.md", "utf8")
  const variables = text.slice(0, text.indexOf("## Bindings"))
  // The table of slots has no column for the worker, because all workers read them.
  const rows = [...variables.matchAll(/^\| `([A-Z_]+)` \|(?: ([a-z0-9, ]+) \|)?/gm)].map(([, name, named]) => {
    const listed = named?.split(", ").filter((one) => one === "all" || workers.includes(one)) ?? []
    return [name, listed.length === 0 || listed.includes("all") ? workers : listed] as const
  })
  // `npm run deploy` derives these from its hosts, or they are for local use only.
  const others = ["CALLBACKS_URL", "OWN_HOSTS", "ALLOW_PRIVATE_TARGETS"]
  const documented = Object.fromEntries(rows.filter(([name]) => !others.includes(name as string)))
  expect({ ...VARIABLES }).toEqual(documented)
})

test("A host must be a plain name", () => {
  expect(readHosts(" A.acme.com,b.acme.com")).toEqual(["a.acme.com", "b.acme.com"])
  for (const wrong of [undefined, "", "https://a.com", "a", "a.com/x", "a.com,", "127.0.0.1", "a.com:8787"]) {
    expect(() => readHosts(wrong), String(wrong)).toThrow(/--host/)
  }
})

test('The button "Deploy to Cloudflare" asks for each required variable, and explains it', async () => {
  const [asked, configuration, manifest] = await Promise.all(
    [".dev.vars.example", "docs/configuration.md", "package.json"].map((file) => readFile(file, "utf8")),
  )
  const required = [...`${configuration}`.matchAll(/^\| `([A-Z_]+)` \| [a-z]+ \| required \|/gm)].map(
    ([, name]) => name,
  )
  expect(required.length).toBeGreaterThan(5)
  expect([...`${asked}`.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]).sort()).toEqual(
    required.map((name) => [name, ""]).sort(),
  )
  const { bindings } = JSON.parse(`${manifest}`).cloudflare as { bindings: Record<string, { description: string }> }
  expect(Object.keys(bindings).sort()).toEqual(required.sort())
})
