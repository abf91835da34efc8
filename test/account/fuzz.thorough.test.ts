import { env as bindings } from "cloudflare:workers"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import { account } from "../../src/routes/account/group.ts"
import { serveCustomer } from "../harness/customer.ts"
import { type DeclaredOperation, declaredAnswers, type OpenApi } from "../harness/declared.ts"
import { createEstate, ESTATE_HOST, type Estate, pathOf } from "../harness/estate.ts"
import { around } from "../harness/fuzz-around.ts"
import { idsIn } from "../harness/operations.ts"
import { createRandom } from "../harness/random.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type World } from "../harness/world.ts"

// A tenth of the requests of the /v1 fuzz test. To repeat a failure, set TURNPIKE_SEED=<the printed seed>.
const settings = bindings as unknown as { TURNPIKE_FUZZ: string; TURNPIKE_SEED: string }
const app = new App()
account.mount(app)
const operations = app.operations.filter(({ answer }) => answer.status !== 302 && !answer.binary)
const EACH = Math.ceil(Number(settings.TURNPIKE_FUZZ) / 10 / operations.length)

let world: World
let document: OpenApi
let read: Estate
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
  read = await createEstate(world)
  document = (await (await staticFile("/api/openapi.json")).json()) as OpenApi
})
afterAll(() => world.close())

/** The path of an operation in an estate. An id that only other operations have is invented. */
function pathIn(operation: (typeof operations)[number], estate: Estate): string {
  const unknown = idsIn(operation.path).filter((id) => !(id in estate.ids))
  const ids = { ...estate.ids, ...Object.fromEntries(unknown.map((id) => [id, "none"])) }
  return pathOf(operation, { ids })
}

test.each(operations)(
  `$id answers ${EACH} requests generated from the OpenAPI document as declared, and none breaks the service`,
  async (operation) => {
    const seed = Number(settings.TURNPIKE_SEED) || createRandom(`fuzz of ${operation.id}`).seed
    const faultsOf = declaredAnswers(document, "dashboard")
    const method = operation.method.toUpperCase()
    // The requests may end the session or archive the spaces, so only reading operations share an estate.
    const estate = await (method === "GET" ? read : createEstate(world))
    let browser = await world.signIn(estate.client.userId)
    const ok = { path: pathIn(operation, estate), ...(operation.body && { body: {} }) }
    const statuses: Record<number, number> = {}
    for (const { path, body, ifMatch } of fc.sample(around(document, operation, ok), { seed, numRuns: EACH })) {
      const headers = {
        ...(body !== null && { "content-type": "application/json" }),
        ...(ifMatch !== null && { "if-match": ifMatch }),
      }
      const response = await browser.call(method, path, body ?? undefined, headers)
      const text = await response.text()
      const declared = document.paths[operation.path]?.[operation.method] as DeclaredOperation
      const faults = faultsOf(declared, { method, response, text })
      const shown = typeof body === "string" ? body.slice(0, 500) : body
      const told = `seed ${seed}: ${method} ${path.slice(0, 300)} ${shown}\n${response.status} ${text.slice(0, 500)}`
      expect(faults, told).toEqual([])
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      if (response.status === 401) browser = await world.signIn(estate.client.userId)
    }
    console.log(`${operation.id} ${JSON.stringify(statuses)}`)
  },
)
