import fc from "fast-check"
import type { Operation } from "../../src/http/operation.ts"
import type { DeclaredOperation, OpenApi } from "./declared.ts"
import { bodyOf, mostly, queryOf } from "./fuzz-requests.ts"
import { arbitraryOf } from "./json-schema.ts"
import { oddText } from "./mutations.ts"

export interface Sent {
  path: string
  body: string | Uint8Array<ArrayBuffer> | null
  ifMatch: string | null
}

/**
 * Requests that vary a successful one: other ids in the path, and a query and body that the
 * document allows or almost allows.
 */
export function around(
  document: OpenApi,
  operation: Pick<Operation, "path" | "method">,
  ok: { path: string; body?: unknown },
): fc.Arbitrary<Sent> {
  const declared = document.paths[operation.path]?.[operation.method] as DeclaredOperation
  const of = (schema: Parameters<typeof arbitraryOf>[0]) => arbitraryOf(schema, document.components.schemas)
  const [known = ""] = ok.path.split("?")
  const strange = mostly(
    fc.constantFrom("0", "-1", "1", "999999", "1e3", "9007199254740993", "%2F", "%00", "a%2Fb", "x"),
    oddText.filter((text) => text.length > 0 && text.length < 300).map(encodeURIComponent),
  ).filter((segment) => !/^(\.|%2e){0,2}$/i.test(segment))
  const elsewhere = strange.map((segment) => operation.path.replaceAll(/\{\w+\}/g, segment))
  const query = queryOf(declared, of, {})
  const body = bodyOf(declared, of)
  const own = ok.body === undefined ? null : JSON.stringify(ok.body)
  const bodies =
    own === null
      ? fc.constant(null)
      : fc.oneof(
          fc.constant(own),
          body.valid.body,
          body.wrong.map((wrong) => wrong.body),
        )
  return fc
    .record({
      path: operation.path.includes("{") ? mostly(fc.constant(known), elsewhere, 3) : fc.constant(known),
      query: mostly(query.valid, query.wrong, 2),
      body: bodies as fc.Arbitrary<Sent["body"]>,
      ifMatch: mostly(fc.constant(null), fc.constantFrom('"1"', "*", '"x"', "1", 'W/"1"'), 5),
    })
    .map(({ path, query: asked, ...rest }) => ({ path: path + asked, ...rest }))
}
