import { env as bindings } from "cloudflare:workers"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { adminOperations, createAdminEstate, requestOf } from "../harness/admin-requests.ts"
import { signInAdmin } from "../harness/books.ts"
import { declaredAnswers, type OpenApi } from "../harness/declared.ts"
import { around } from "../harness/fuzz-around.ts"
import { createRandom } from "../harness/random.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type World } from "../harness/world.ts"

// A tenth of the requests of the /v1 fuzz test, which shares its harness. To repeat a failure, set
// TURNPIKE_SEED=<the printed seed>.
const settings = bindings as unknown as { TURNPIKE_FUZZ: string; TURNPIKE_SEED: string }
const EACH = Math.ceil(Number(settings.TURNPIKE_FUZZ) / 10 / adminOperations.length)

let world: World
let document: OpenApi
beforeAll(async () => {
  world = await createWorld()
  world.serve("*", () => Response.json({ ok: true }))
  document = (await (await staticFile("/api/openapi.json")).json()) as OpenApi
})
afterAll(() => world.close())

test.each(adminOperations)(
  `$id answers ${EACH} requests generated from the OpenAPI document as declared`,
  async (operation) => {
    const seed = Number(settings.TURNPIKE_SEED) || createRandom(`fuzz of ${operation.id}`).seed
    const faultsOf = declaredAnswers(document, "dashboard")
    const method = operation.method.toUpperCase()
    let admin = await signInAdmin(world)
    // A separate estate, because the requests may end any session or disable its user.
    const ok = await requestOf(await createAdminEstate(world, operation.id), operation)
    const statuses: Record<number, number> = {}
    for (const { path, body, ifMatch } of fc.sample(around(document, operation, ok), { seed, numRuns: EACH })) {
      const headers = { ...ok.headers, "content-type": body === null ? null : "application/json", "if-match": ifMatch }
      const response = await admin.call(method, path, body ?? undefined, headers)
      const text = await response.text()
      const declared = document.paths[operation.path]?.[operation.method]
      const faults = faultsOf(declared, { method, response, text })
      const shown = typeof body === "string" ? body.slice(0, 500) : body
      expect(
        faults,
        `seed ${seed}: ${method} ${path.slice(0, 300)} ${shown}\n${response.status} ${text.slice(0, 500)}`,
      ).toEqual([])
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      // The request has ended its own session or removed the admin's role.
      if (response.status === 401 || response.status === 403) admin = await signInAdmin(world)
    }
    console.log(`${operation.id} ${JSON.stringify(statuses)}`)
  },
)
