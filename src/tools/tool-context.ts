import type { Context } from "../actor/context.ts"
import type { Outbound } from "../platform/outbound.ts"

/** The context of a turn's tools. */
export interface ToolContext extends Context {
  readonly outbound: Outbound
  /**
   * For calls of the turn's models and tools. A call that had to wait for a connection asks whether its turn may still
   * start calls, and rejects with NotSent if not. `fetch` never asks, so an exchange of tokens completes.
   */
  readonly turnFetch: typeof globalThis.fetch
}
