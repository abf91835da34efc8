import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findToolsTool } from "../../src/tools/find-tools.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { shuffled } from "../harness/tool-catalogue.ts"

/**
 * Tools of 30 published servers, with queries that were written without knowledge of the ranking. Few have a word of
 * their tool. The ranking must not be tuned to them.
 */
const TOOLS = readFileSync(join(import.meta.dirname, "../harness/published-tools.tsv"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [server = "", name = "", description = "", parameters = "", ...queries] = line.split("\t")
    const properties = Object.fromEntries(parameters.split(",").map((parameter) => [parameter, { type: "string" }]))
    return {
      server,
      queries,
      spec: { name: `${server}__${name}`, description, inputSchema: { type: "object", properties } },
    }
  })
const BY_SERVER = [...Map.groupBy(TOOLS, ({ server }) => server).values()]
const CATALOGUES = 500

async function search(specs: (typeof TOOLS)[number]["spec"][], query: string) {
  const tool = findToolsTool({ specs, groups: [], found: new Set(), keep: async () => {} })
  const context = {
    key: "turn.0.0",
    step: 0,
    call: 0,
    agent: null,
    signal: AbortSignal.any([]),
    mayStart: async () => true,
  }
  const { output } = await tool.run({ query }, context)
  const { tools, others = [] } = JSON.parse(output.type === "text" ? output.value : "") as {
    tools: { name: string }[]
    others?: string[]
  }
  return { found: tools.map(({ name }) => name), others }
}

const catalogueOf = (random: Random) => shuffled(random, BY_SERVER).slice(0, 9).flat()

test(`The answer to a query that names the server has the wanted tool or its name, in ${CATALOGUES} catalogues`, async () => {
  const random = createRandom("published")
  const counts = { bare: 0, named: 0, seen: 0, again: 0 }
  for (let n = 0; n < CATALOGUES; n++) {
    const catalogue = catalogueOf(random)
    const specs = catalogue.map(({ spec }) => spec)
    const { server, spec, queries } = random.pick(catalogue)
    const query = random.pick(queries)
    if ((await search(specs, query)).found.includes(spec.name)) counts.bare++
    const named = await search(specs, `${query} ${server.replaceAll("_", " ")}`)
    if (named.found.includes(spec.name)) counts.named++
    if ([...named.found, ...named.others].includes(spec.name)) counts.seen++
    if ((await search(specs, spec.name)).found.includes(spec.name)) counts.again++
  }
  const share = (count: number) => `${((count / CATALOGUES) * 100).toFixed(1)} %`
  console.log(
    `seed ${random.seed}: among the first five ${share(counts.bare)} without and ${share(counts.named)} with the server's name, ` +
      `in the answer ${share(counts.seen)}, found by its name ${share(counts.again)}`,
  )
  expect(counts.again).toBe(CATALOGUES)
  expect(counts.seen / CATALOGUES).toBeGreaterThanOrEqual(0.95)
})
