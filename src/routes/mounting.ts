import type * as z from "zod"

/** Where operations of both surfaces are mounted: below `prefix`, with the query parameters of that surface. */
export interface Mounting {
  prefix: "/v1" | "/api/account"
  query: z.ZodRawShape
}
