import type { CacheLifetime, EngineName, PromptCache } from "./engine.ts"

type CacheOptions = { anthropic: { cacheControl: { type: "ephemeral"; ttl: CacheLifetime } } }

/**
 * A breakpoint in the AI SDK's form (Anthropic, Prompt caching): the prompt before it is read
 * from the cache or written to it.
 */
export const breakpoint = (ttl: CacheLifetime): { providerOptions: CacheOptions } => ({
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl } } },
})

/**
 * Marks the last message up to each breakpoint that may be marked. Empty messages are not sent, so the
 * message before them is marked.
 */
export function markBreakpoints<Sent extends object>(
  sent: readonly (readonly Sent[])[],
  { breakpoints }: Pick<PromptCache, "breakpoints">,
  mayMark: (message: Sent) => boolean,
): Sent[] {
  const marked = new Map(
    breakpoints.map(
      ({ message, lifetime }) =>
        [
          sent
            .slice(0, message + 1)
            .flat()
            .findLast(mayMark),
          lifetime,
        ] as const,
    ),
  )
  return sent.flat().map((message) => {
    const lifetime = marked.get(message)
    return lifetime === undefined ? message : { ...message, ...breakpoint(lifetime) }
  })
}

/** The cache options of a whole request. Each call sends the whole transcript, so OpenAI need not store it. */
export const cacheOptions = (engine: EngineName, cache: PromptCache | undefined) => ({
  store: false,
  ...(engine === "openai" && cache && { promptCacheKey: cache.key }),
})
