/** Lists of words that several rooms use. Checks in schema.sql repeat some; a structure test compares them. */

/** The engines of model providers, by their API. */
export const REAL_ENGINES = ["anthropic", "openai", "openai-compatible"] as const
/** All engines, with the rehearsal engine. */
export const ENGINES = [...REAL_ENGINES, "rehearsal"] as const

/** The kinds of failures of containers, delegations and models. */
export const ERROR_KINDS = ["container_start", "container_exec", "subagent_dispatch", "model_call"] as const

/** The agents of model calls: the space's own, a sub-agent, or the one that summarises earlier turns. */
export const CALL_ROLES = ["orchestrator", "subagent", "summary"] as const

/** How much a model reasons before it answers. */
export const EFFORTS = ["none", "low", "medium", "high"] as const

/** How a provider is asked to serve a call (src/agent/service-tier.ts). */
export const SERVICE_TIERS = ["auto", "default", "flex", "priority", "fast", "ultrafast"] as const

/** The settings of a call that a model may not take. */
export const MODEL_SETTINGS = ["temperature", "reasoning", "stop", "response_format", "service_tier"] as const

export const TASK_STATES = ["open", "closed", "done", "cancelled"] as const
