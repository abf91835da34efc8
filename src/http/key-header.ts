import type { HonoRequest } from "hono"

/** Anthropic's clients send the key alone in this header. */
export const KEY_HEADER = "x-api-key"

/** True if a request has an API key in one of its headers, valid or not. */
export const hasKey = (req: HonoRequest): boolean =>
  req.header("authorization") !== undefined || req.header(KEY_HEADER) !== undefined
