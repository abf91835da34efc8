import type { OutboundRequest } from "../../src/platform/outbound.ts"

/** A request to a customer's server with limits of 10 s and 1,000 bytes. */
export const outboundRequest = (overrides: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: "https://api.customer.com/a",
  method: "GET",
  headers: {},
  timeoutMs: 10_000,
  maxBytes: 1000,
  ...overrides,
})
