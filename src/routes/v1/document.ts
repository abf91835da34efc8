import type { App } from "../../http/app.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { API_SURFACE } from "../../http/surface.ts"
import { CLIENT_METHODS } from "./client-methods.ts"

/** The OpenAPI document of the operations below /v1. `onMissing` is told each field without an example. */
export function describeV1(app: App, options: { origin: string; onMissing?: (path: string) => void }) {
  const operations = app.operations.filter((operation) => operation.path.startsWith("/v1/"))
  return openApiDocument(operations, { ...options, surface: API_SURFACE, clientMethods: CLIENT_METHODS })
}
