import type { NetworkFault } from "./network-fault.ts"

/**
 * The reason why a call to an owner's URL failed. The message names only the URL's origin, since
 * the rest may contain a secret.
 */
export class OutboundError extends Error {
  readonly kind: "refused" | "redirect" | "timeout" | "too_large" | "network"

  /** For the kind `network`: the cause, if it is known. */
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
