import type { Conversation } from "./operations.ts"
import type { RequestOptions } from "./options.ts"
import type { Transport } from "./transport.ts"

/** Conversations of end users with agents. */
export class Conversations {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Reads a conversation: which turns and which summary its agent sees.
   *
   * @example
   * const { turns, context } = await turnpike.conversations.get("conv_…")
   * console.log(`${context.turns.length} of ${turns} turns`, context.summary?.text)
   */
  get(conversationId: string, options?: RequestOptions): Promise<Conversation> {
    return this.#transport.call("getConversation", { params: { conversation_id: conversationId } }, options)
  }
}
