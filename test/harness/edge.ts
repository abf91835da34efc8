import { createEdge } from "../../src/local/edge-limits.ts"

/** The limits of Cloudflare, for each invocation that a world makes. */
export const edge = createEdge()
