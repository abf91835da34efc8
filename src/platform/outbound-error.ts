import type { NetworkFault } from "./network-fault.ts"

/** Why a call to a customer's URL brought no answer. The message names only the URL's origin, since the rest may contain a secret. */
export class OutboundError extends Error {
  readonly kind: "refused" | "redirect" | "timeout" | "too_large" | "network"

  /** Of the kind `network`: what failed, where that is known. */
  readonly fault: NetworkFault | null

  constructor(
    kind: OutboundError["kind"],
    message: string,
    { fault = null, ...options }: { cause?: unknown; fault?: NetworkFault | null } = {},
  ) {
    super(message, options)
    this.name = "OutboundError"
    this.kind = kind
    this.fault = fault
  }
}
