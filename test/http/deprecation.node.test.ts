import { expect, test } from "vitest"
import * as z from "zod"
import { TurnpikeError } from "../../src/base/errors.ts"
import { answerError } from "../../src/http/api-errors.ts"
import { App } from "../../src/http/app.ts"
import { type Deprecated, deprecationHeaders } from "../../src/http/deprecation.ts"
import type { Operation } from "../../src/http/operation.ts"
import { APIS, describeApi } from "../../src/reference/apis.ts"

const deprecated: Deprecated = { since: "2026-11-26", sunset: "2027-11-26", instead: "GET /v1/turns" }

const query = z.strictObject({ kind: z.enum(["good", "broken"]) })
const answer = z.object({ ok: z.literal(true) })
const operation = (id: string, more: Partial<Operation>): Operation<never, typeof query, never, typeof answer> => ({
  method: "get",
  path: `/v1/${id}`,
  id,
  tag: "Turns",
  summary: "Read something",
  query,
  answer: { status: 200, description: "It.", schema: answer },
  errors: ["NOT_FOUND"],
  ...(more as object),
})

/** An app with a deprecated operation and another one. */
function appWith(...operations: ReturnType<typeof operation>[]) {
  const app = new App()
  app.use(async (c, next) => {
    c.set("ctx", { requestId: "req_1", log() {} } as never)
    await next()
  })
  app.onError(answerError)
  for (const one of operations) {
    app.operation(one, async (_c, input) => {
      if (input.query.kind === "broken") throw new TurnpikeError("NOT_FOUND", "There is none.")
      return { ok: true as const }
    })
  }
  return app
}

test("Every response of a deprecated operation has Deprecation, Sunset and a link to the policy, errors included", async () => {
  const app = appWith(operation("old", { deprecated }), operation("current", {}))
  for (const [kind, status] of [
    ["good", 200],
    ["broken", 404],
    ["unknown", 422],
  ] as const) {
    const response = await app.request(`/v1/old?kind=${kind}`)
    expect(response.status).toBe(status)
    // RFC 9745: a date of structured fields. RFC 8594: an HTTP date.
    expect(response.headers.get("deprecation")).toBe(`@${Date.UTC(2026, 10, 26) / 1000}`)
    expect(response.headers.get("sunset")).toBe("Fri, 26 Nov 2027 00:00:00 GMT")
    expect(response.headers.get("link")).toContain('</docs/compatibility>; rel="deprecation"')
    const other = await app.request(`/v1/current?kind=${kind}`)
    for (const name of ["deprecation", "sunset", "link"]) expect(other.headers.has(name), name).toBe(false)
  }
})

test("An operation cannot end sooner than the policy says", () => {
  expect(() => deprecationHeaders({ ...deprecated, sunset: "2027-11-25" })).toThrow("365 days")
  expect(() => deprecationHeaders({ ...deprecated, since: "soon" })).toThrow("365 days")
})

test("The document marks a deprecated operation, and names its replacement and its end", () => {
  const { operations } = appWith(operation("old", { deprecated }), operation("current", {}))
  const { paths } = describeApi(APIS.v1, operations) as unknown as {
    paths: Record<string, { get: Record<string, unknown> }>
  }
  const old = paths["/v1/old"]?.get as { responses: Record<string, { headers: object }> } & Record<string, unknown>
  expect(old).toMatchObject({ deprecated: true, "x-sunset": "2027-11-26" })
  expect(old.description).toMatch(/^Deprecated since 2026-11-26\..*from 2027-11-26 on\. Use `GET \/v1\/turns`\./)
  expect(Object.keys(old.responses["200"]?.headers ?? {})).toEqual(expect.arrayContaining(["Deprecation", "Sunset"]))
  expect(paths["/v1/current"]?.get).not.toHaveProperty("deprecated")
})
