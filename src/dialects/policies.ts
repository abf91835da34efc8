/** Numbers of the APIs of other services over turns (docs/architecture/openai.md). */
export const DIALECT_POLICY = {
  /** How long a request without `background` or `stream` waits for its turn, in seconds: the longest timeout. */
  waitSeconds: 3_600,
  /** How long a stream stays open while its turn waits: long enough for a person who is asked and there. */
  waitingStreamMs: 120_000,
  /** The most bytes of a request, with its files as `data:` URLs. MEMORY.shares.body has room for it. */
  bodyBytes: 5 * 1024 * 1024,
  /** The most messages of a request. */
  messages: 1_000,
  /** The most `item_reference` items of a request, because each costs a statement. */
  references: 32,
  /** A marked retry without an Idempotency-Key finds its first try until this long after the end of that turn. */
  firstTryMs: 30_000,
  /** How many spaces the list of models has at most: pages, and spaces of a page. */
  modelPages: 10,
  modelPage: 100,
} as const
