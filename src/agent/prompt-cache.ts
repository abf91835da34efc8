import type { CacheLifetime, EngineName, PromptCache } from "./engine.ts"

type CacheOptions = { anthropic: { cacheControl: { type: "ephemeral"; ttl: CacheLifetime } } }

/** A breakpoint as the AI SDK sends it (Anthropic, Prompt caching): what comes before is read from the cache, or written into it. */
export const breakpoint = (ttl: CacheLifetime): { providerOptions: CacheOptions } => ({
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl } } },
})

/** Marks the last message of what each breakpoint ends. Empty messages are not sent: those before them are marked then. */
export function markBreakpoints<Sent extends object>(
  sent: readonly (readonly Sent[])[],
  { breakpoints }: Pick<PromptCache, "breakpoints">,
): Sent[] {
  const marked = new Map(
    breakpoints.map(
      ({ message, lifetime }) =>
        [
          sent
            .slice(0, message + 1)
            .flat()
            .at(-1),
          lifetime,
        ] as const,
    ),
  )
  return sent.flat().map((message) => {
    const lifetime = marked.get(message)
    return lifetime === undefined ? message : { ...message, ...breakpoint(lifetime) }
  })
}

/** What each engine's whole request says of the cache. Each call sends the whole transcript, so the provider need not store it. */
export const cacheOptions = (engine: EngineName, cache: PromptCache | undefined) => ({
  openai: { store: false, ...(engine === "openai" && cache && { promptCacheKey: cache.key }) },
})
