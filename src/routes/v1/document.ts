import { App } from "../../http/app.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { v1 } from "./group.ts"

/** The OpenAPI document of /v1, without a worker that serves it: for scripts and tests. */
export function v1Document(origin: string) {
  const app = new App()
  v1.mount(app)
  return openApiDocument(app.operations, { origin })
}
