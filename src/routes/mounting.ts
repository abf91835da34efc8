import type * as z from "zod"
import { listOf, pageOf, strictQuery, testQuery, wholeList, wholePage } from "../http/query.ts"

/** One surface for operations that are mounted twice: its path prefix and the query parameters that it adds. */
export interface Mounting {
  prefix: "/v1" | "/api/account"
  query: z.ZodRawShape
}

export const FOR_KEYS: Mounting = { prefix: "/v1", query: {} }
export const FOR_OWNERS: Mounting = { prefix: "/api/account", query: testQuery }

const isForKeys = ({ prefix }: Mounting) => prefix === "/v1"

/** The query of an operation with few parameters of its own, or none. */
export const bareQuery = (mounting: Mounting, own: z.ZodRawShape = {}) => strictQuery({ ...mounting.query, ...own })

/** Text that only the reference for API keys shows. */
export const toKeys = (mounting: Mounting, text: string): string => (isForKeys(mounting) ? text : "")

/** A list that is always returned as a whole, in the shape of the surface. */
export function wholeListAt<Item extends z.ZodType>(mounting: Mounting, item: Item) {
  return isForKeys(mounting)
    ? { schema: pageOf(item), of: (data: z.output<Item>[]) => wholePage(data) }
    : { schema: listOf(item), of: (items: z.output<Item>[]) => wholeList(items) }
}
