/** Why a call to a customer's URL brought no answer. The message names only the URL's origin, since the rest may contain a secret. */
export class OutboundError extends Error {
  readonly kind: "refused" | "redirect" | "timeout" | "too_large" | "network"

  constructor(kind: OutboundError["kind"], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "OutboundError"
    this.kind = kind
  }
}
