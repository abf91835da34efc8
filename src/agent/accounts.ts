import type { ModelAccounts } from "./engine.ts"

/** Settings that name accounts at providers: variables of the worker, or keys of an environment file. */
export interface ModelVariables {
  ANTHROPIC_API_KEY?: string | undefined
  ANTHROPIC_BASE_URL?: string | undefined
  OPENAI_API_KEY?: string | undefined
  OPENAI_BASE_URL?: string | undefined
}

/** Reads the accounts from an environment file. The worker's variables fill the gaps. */
export function accountsOf(worker: ModelVariables, file: ModelVariables): ModelAccounts {
  // A file's URL must not get a key that was meant for another server.
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL } = {
    ...worker,
    ...(file.ANTHROPIC_BASE_URL && { ANTHROPIC_API_KEY: undefined }),
    ...(file.OPENAI_BASE_URL && { OPENAI_API_KEY: undefined }),
    ...file,
  }
  return {
    ...(ANTHROPIC_API_KEY && {
      anthropic: { apiKey: ANTHROPIC_API_KEY, ...(ANTHROPIC_BASE_URL && { baseUrl: ANTHROPIC_BASE_URL }) },
    }),
    // A key with a base URL belongs to that server, for both protocols that a pin may use there.
    ...(OPENAI_API_KEY && {
      openai: { apiKey: OPENAI_API_KEY, ...(OPENAI_BASE_URL && { baseUrl: OPENAI_BASE_URL }) },
    }),
    ...(OPENAI_BASE_URL && {
      "openai-compatible": { baseUrl: OPENAI_BASE_URL, ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }) },
    }),
  }
}
