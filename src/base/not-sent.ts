/**
 * A fetch gave up before it sent its request, because the check before it failed. Every layer rethrows this error
 * unchanged: it says nothing about the server, and the caller may send the same request later.
 */
export class NotSent extends Error {
  /** The error of the check. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super("The request was not sent.", { cause: reason })
    this.name = "NotSent"
    this.reason = reason
  }
}

/** The reason of a request that was not sent; any other error as it is. */
export const reasonOf = (error: unknown): unknown => (error instanceof NotSent ? error.reason : error)
