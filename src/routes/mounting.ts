import type * as z from "zod"

/** Where operations that both surfaces have are mounted: below `prefix`, with the query parameters that all of that surface have. */
export interface Mounting {
  prefix: "/v1" | "/api/account"
  query: z.ZodRawShape
}
