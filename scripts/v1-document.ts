import { App } from "../src/http/app.ts"
import { describeV1 } from "../src/routes/v1/document.ts"
import { v1 } from "../src/routes/v1/group.ts"

/** The operations of /v1, without a worker that serves them. */
export function v1App(): App {
  const app = new App()
  v1.mount(app)
  return app
}

/** Their OpenAPI document. */
export const v1Document = () => describeV1(v1App(), { origin: "https://api.turnpike.test" })
