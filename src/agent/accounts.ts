import type { ModelAccounts } from "./engine.ts"

/** What names the accounts at the providers: variables of the worker, or keys of an environment file. */
export interface ModelVariables {
  ANTHROPIC_API_KEY?: string | undefined
  ANTHROPIC_BASE_URL?: string | undefined
  OPENAI_API_KEY?: string | undefined
  OPENAI_BASE_URL?: string | undefined
}

/** The accounts that the keys of an environment file and then the worker's variables name. */
export function accountsOf(worker: ModelVariables, file: ModelVariables): ModelAccounts {
  // A file's URL gets no key that was meant for another server.
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
    // A key beside a base URL belongs to that server, whichever protocol a pin speaks with it.
    ...(OPENAI_API_KEY && {
      openai: { apiKey: OPENAI_API_KEY, ...(OPENAI_BASE_URL && { baseUrl: OPENAI_BASE_URL }) },
    }),
    ...(OPENAI_BASE_URL && {
      "openai-compatible": { baseUrl: OPENAI_BASE_URL, ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }) },
    }),
  }
}
