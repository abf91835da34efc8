/** Lists of words that several rooms have. Checks of schema.sql repeat some, which a structure test compares. */

/** Whose API a model's provider speaks. */
export const REAL_ENGINES = ["anthropic", "openai", "openai-compatible"] as const
/** With the one that rehearses. */
export const ENGINES = [...REAL_ENGINES, "rehearsal"] as const

/** What can fail of what the operator runs, or calls. */
export const ERROR_KINDS = ["container_start", "container_exec", "subagent_dispatch", "model_call"] as const

export const TASK_STATES = ["open", "closed", "done", "cancelled"] as const
