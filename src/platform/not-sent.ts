/**
 * A fetch that was given up before its request was sent, because the check before it refused. Every layer passes it on as
 * it is: it says nothing about the server, and the caller may send the same request later.
 */
export class NotSent extends Error {
  /** What the check threw. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super("The request was not sent.", { cause: reason })
    this.name = "NotSent"
    this.reason = reason
  }
}

/** The reason of a request that was not sent; any other error as it is. */
export const reasonOf = (error: unknown): unknown => (error instanceof NotSent ? error.reason : error)
