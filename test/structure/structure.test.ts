import { join } from "node:path"
import { parse } from "smol-toml"
import { expect, test } from "vitest"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import { filesBelow, importsOf, procedures, read, source } from "./source.ts"

/** A separate npm workspace, built into static files. */
const webApp = filesBelow("dashboard/src")

test("Hono is used only in routes and http", () => {
  const offenders = source.filter(
    (path) =>
      !/^(src\/(routes|http)\/|functions\/)/.test(path) && importsOf(path).some((name) => /^(@?hono)/.test(name)),
  )
  expect(offenders).toEqual([])
})

test("Answers are JSON with plain decimals, which `c.json` does not write", () => {
  const offenders = [...filesBelow("src/http"), ...filesBelow("src/routes")].filter((path) =>
    /\bc\.json\(|Response\.json\(/.test(read(path).replace(/\/\*\*.*?\*\//gs, "")),
  )
  expect(offenders).toEqual([])
})

test("Routes do not touch the database", () => {
  const offenders = filesBelow("src/routes").filter((path) =>
    importsOf(path).some((name) => name.includes("platform/db") || name === "kysely"),
  )
  expect(offenders).toEqual([])
})

test("Deployed code imports no stand-ins or document builders, and only the worker of callbacks can reach a model", () => {
  const reached = (entry: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(entry)) return seen
    seen.add(entry)
    for (const name of importsOf(entry).filter((name) => name.startsWith("."))) reached(join(entry, "..", name), seen)
    return seen
  }
  for (const entry of filesBelow("functions")) {
    expect([...reached(entry)].filter((path) => /^src\/(local|ops|reference)\//.test(path))).toEqual([])
  }
  for (const group of ["v1", "auth", "account", "admin"]) {
    const models = [...reached(`functions/${group}.ts`)].filter((path) => path.startsWith("src/agent/call-model"))
    expect(models, group).toEqual([])
  }
})

test("The client imports nothing from the service or from any package; its command line has two packages", () => {
  const foreign = (folder: string, allowed: RegExp) =>
    filesBelow(folder).flatMap((path) => importsOf(path).filter((name) => !allowed.test(name)))
  expect(foreign("client/src", /^\.\/[\w-]+\.ts$/)).toEqual([])
  expect(foreign("client/cli", /^(\.|\.\.\/src)\/[\w-]+\.ts$|^node:[\w/]+$|^(commander|yaml)$/)).toEqual([])
})

test("The provider for the AI SDK imports only the client and the AI SDK's interface", () => {
  const imported = filesBelow("ai-sdk/src").flatMap(importsOf)
  const allowed = new RegExp(`^(\\./[\\w-]+\\.ts|@ai-sdk/provider|${CLIENT_PACKAGE})$`)
  expect(imported.filter((name) => !allowed.test(name))).toEqual([])
})

test("The web app imports nothing from the service, and Recharts only in the chunk of charts", () => {
  const named = webApp.flatMap((path) => importsOf(path).map((name) => ({ path, name })))
  const outside = named.filter(
    ({ path, name }) => name.startsWith(".") && !join(path, "..", name).startsWith("dashboard/src/"),
  )
  expect(outside).toEqual([])
  expect(named.filter(({ name }) => name === "recharts").map(({ path }) => path)).toEqual([
    "dashboard/src/ui/chart-canvas.tsx",
  ])
})

test("A file has at most 300 lines and is in a room: two folder levels, and one more for routes", () => {
  const all = [...source, ...filesBelow("test"), ...filesBelow("scripts"), ...filesBelow("bench"), ...webApp]
  const generated = [
    "src/platform/db-types.ts",
    "src/platform/procedures.ts",
    "src/ops/worker-access.ts",
    "client/src/operations.ts",
    "dashboard/src/api/operations.ts",
    "dashboard/src/api/rules.ts",
  ]
  const own = all.filter((path) => !generated.includes(path))
  expect(own.filter((path) => read(path).split("\n").length > 301)).toEqual([])
  const levels = (path: string) => (path.startsWith("src/routes/") ? 4 : 3)
  expect(source.filter((path) => path.split("/").length > levels(path))).toEqual([])
  expect(webApp.filter((path) => path.split("/").length > 4)).toEqual([])
})

test("No procedure is called on either side of a deciding `or`, since PostgreSQL would skip its effect", () => {
  const offenders = procedures
    .filter(({ text }) => /:= turnpike\.\w+\([^;]*\)\s+or\s/.test(text))
    .map(({ path }) => path)
  expect(procedures.length).toBeGreaterThan(50)
  expect(offenders).toEqual([])
})

test("Time and random numbers come from the context, outside platform, local, the command line and the client's runtime", () => {
  const pattern = /Date\.now\(|new Date\(\)|Math\.random\(/
  const offenders = source.filter(
    (path) => !/^src\/(platform|local)\/|^src\/ops\/admin|^client\/src\/runtime/.test(path) && pattern.test(read(path)),
  )
  expect(offenders).toEqual([])
})

test("The environments of wrangler.toml agree", () => {
  const config = parse(read("wrangler.toml")) as unknown as Record<string, unknown> & {
    main: string
    env: Record<string, { name: string; main: string } & Record<string, unknown>>
  }
  const shared = ["vars", "r2_buckets", "kv_namespaces", "placement"]
  const { dashboard, ...groups } = config.env
  // The web app consists only of files: it has no bindings and no cron trigger.
  expect(dashboard).toMatchObject({ main: "functions/dashboard.ts", triggers: { crons: [] } })
  expect(shared.filter((name) => dashboard && name in dashboard)).toEqual([])
  for (const [group, environment] of Object.entries(groups)) {
    expect(environment.main).toBe(`functions/${group}.ts`)
    expect(environment.name).toBe(`turnpike-${group}`)
    for (const name of shared) expect(environment[name], `${group}: ${name}`).toEqual(config[name])
    expect(environment.assets, group).toEqual({ directory: `dist/docs/${group}` })
    expect(environment.triggers, group).toEqual(group === "callbacks" ? config.triggers : { crons: [] })
  }
  expect(Object.keys(config.env).sort()).toEqual(
    filesBelow("functions")
      .map((path) => path.slice("functions/".length, -3))
      .filter((name) => name !== "all")
      .sort(),
  )
})

test("No request can use a processor for long, and the platform logs no URL", () => {
  const { env, ...top } = parse(read("wrangler.toml")) as { env: Record<string, Record<string, unknown>> }
  const LOGGED = { enabled: true, redact_query_string: true, logs: { enabled: true, invocation_logs: false } }
  expect(top).toMatchObject({ observability: LOGGED, limits: { cpu_ms: 300_000 } })
  for (const [name, own] of Object.entries(env)) {
    // An environment inherits them, unless it has its own.
    expect(own, name).not.toHaveProperty("observability")
    const usual = { cpu_ms: name === "v1" ? 30_000 : 5_000 }
    expect(own.limits, name).toEqual(name === "callbacks" ? undefined : usual)
  }
})

test("A deployed worker's fetch reaches only the public Internet", () => {
  const { env, ...top } = parse(read("wrangler.toml")) as { env: Record<string, object> }
  expect(top).toMatchObject({ compatibility_flags: expect.arrayContaining(["global_fetch_strictly_public"]) })
  // An environment inherits the flags, unless it has its own.
  for (const [name, own] of Object.entries(env)) expect(own, name).not.toHaveProperty("compatibility_flags")
})
