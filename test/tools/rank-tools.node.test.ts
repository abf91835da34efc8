import { expect, test } from "vitest"
import { createToolSearch } from "../../src/tools/rank-tools.ts"
import { createRandom } from "../harness/random.ts"
import { makeCatalogue, queryFor } from "../harness/tool-catalogue.ts"

const CATALOGUES = 500

test(`The wanted tool is among the first five in ${CATALOGUES} catalogues of 180 tools, for queries in other words`, () => {
  const random = createRandom("catalogues")
  const missed: string[] = []
  let first = 0
  for (let n = 0; n < CATALOGUES; n++) {
    const catalogue = makeCatalogue(random, { servers: 9, tools: 20 })
    expect(catalogue.length).toBe(180)
    const wanted = random.pick(catalogue)
    const query = queryFor(random, catalogue, wanted)
    expect(wanted.spec.description.toLowerCase()).not.toContain(query.toLowerCase())
    const found = createToolSearch(catalogue.map(({ spec }) => spec))(query).slice(0, 5)
    if (!found.includes(wanted.spec.name)) missed.push(`${query} -> ${wanted.spec.name}, got ${found.join(" ")}`)
    if (found[0] === wanted.spec.name) first++
  }
  const share = 1 - missed.length / CATALOGUES
  console.log(`seed ${random.seed}: among the first five ${share * 100} %, first ${(first / CATALOGUES) * 100} %`)
  expect(share, missed.join("\n")).toBeGreaterThanOrEqual(0.95)
})
