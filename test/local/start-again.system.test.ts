import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, expect, test } from "vitest"
import { servicePort } from "../../scripts/service-port.ts"
import { staticFiles, WEB_APP } from "../../src/local/build-worker.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

let service: Started | undefined
afterAll(() => service?.stop())

/** The time of each state in dist/built and of the outputs that browsers load first. */
async function timesOfBuilds(): Promise<Record<string, number>> {
  const states = (await readdir("dist/built")).map((name) => join("dist/built", name))
  const files = [...states, "dist/dashboard/index.html", "dist/docs/all/docs.html"]
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, (await stat(file)).mtimeMs] as const)))
}

test("A second start builds nothing, says where its time goes, and serves the web app and the reference", async () => {
  const place = { dataDir: await makeDataDirectory("again"), port: await servicePort() }
  const first = await npmStart(place)
  process.kill(first.pid, "SIGTERM")
  const times = await timesOfBuilds()
  service = await npmStart(place)
  expect(service.output).not.toMatch(/built|waiting for/)
  expect(await timesOfBuilds()).toEqual(times)
  const phases = [...service.output.matchAll(/^\[ *[\d.]+ s\] (\w+ [\w-]+)/gm)].map(([, words]) => words)
  expect(phases.sort()).toEqual(
    ["applying the", "seeding the", "sending a", "starting PostgreSQL", "starting the"].sort(),
  )
  for (const path of ["/", "/docs", "/api/docs"]) {
    const page = await fetch(service.base_url + path)
    expect([path, page.status, page.headers.get("content-type")]).toEqual([
      path,
      200,
      expect.stringContaining("text/html"),
    ])
  }
})

test("The sources of each target contain all files of ours that its build imports", async () => {
  const programs = { "dashboard/build.ts": WEB_APP, "scripts/build-docs.ts": staticFiles("") }
  for (const [program, { sources }] of Object.entries(programs)) {
    const options = { bundle: true, write: false, metafile: true, packages: "external" } as const
    const { metafile } = await build({ ...options, entryPoints: [program], platform: "node", format: "esm" })
    const missing = Object.keys(metafile.inputs).filter(
      (file) => !sources.some((source) => file === source || file.startsWith(`${source}/`)),
    )
    expect(missing, program).toEqual([])
  }
  expect(await readFile("dist/dashboard/index.html", "utf8")).toContain("<script")
})
