import { rightOf } from "../../src/base/operation-rights.ts"
import type { SurfaceName } from "../documents.ts"

interface Called {
  operationId: string
  method: string
  path: string
  parameters?: { name: string; in: string }[]
}

/** How the operations of a surface are called, as a constant of the generated client. */
export function operationTable(surface: SurfaceName, operations: readonly Called[]): string {
  const isOwners = surface === "dashboard"
  const lines = operations.map(({ operationId, method, path, parameters }) => {
    const once = parameters?.some(
      ({ name, in: location }) => location === "header" && name.toLowerCase() === "idempotency-key",
    )
    const right = isOwners && path.startsWith("/api/account/") && rightOf({ path, id: operationId, method })
    const needs = right && right !== "self" ? `, needs: "${right}"` : ""
    return `  ${operationId}: { method: "${method.toUpperCase()}", path: "${path}"${once ? ", once: true" : ""}${needs} },\n`
  })
  const words = isOwners ? "; `needs`: the right in the account that it needs" : ""
  const field = isOwners ? '; readonly needs?: "read" | "develop" | "bill" | "own"' : ""
  return `/** How each operation is called; \`once\`: the service has its effect at most once for an Idempotency-Key${words}. */
export const OPERATIONS: {
  readonly [Id in keyof Operations]: { readonly method: string; readonly path: string; readonly once?: true${field} }
} = {
${lines.join("")}}
`
}
