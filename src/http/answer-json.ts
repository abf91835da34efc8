import type { Context as HonoContext } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { plainJson } from "../base/plain-json.ts"
import type { AppEnv } from "./app-env.ts"

/** A JSON response. `c.json` would write small amounts with an exponent. */
export const answerJson = (
  c: HonoContext<AppEnv>,
  value: object | null,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
): Response => c.body(plainJson(value), status, { ...headers, "content-type": "application/json" })
