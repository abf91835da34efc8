/** The workers of groups of routes, without the worker `dashboard`, which needs no variable. */
const GROUPS = ["v1", "auth", "account", "admin", "callbacks"] as const
export type GroupName = (typeof GROUPS)[number]

interface Variable {
  workers: readonly GroupName[]
  /** True if the value may be shown. */
  isPublic?: true
}

const shown = { workers: GROUPS, isPublic: true } as const
const signIn = { workers: ["auth", "account"] } as const
const called = { workers: ["callbacks"] } as const

/** Variables of the workers that `npm run deploy` writes as secrets, as docs/configuration.md describes them. */
export const VARIABLES: Readonly<Record<string, Variable>> = {
  DATABASE_URL: { workers: GROUPS },
  DATABASE_HTTP_URL: shown,
  UPSTASH_REDIS_REST_URL: shown,
  UPSTASH_REDIS_REST_TOKEN: { workers: GROUPS },
  QSTASH_TOKEN: { workers: GROUPS },
  QSTASH_URL: shown,
  QSTASH_CURRENT_SIGNING_KEY: called,
  QSTASH_NEXT_SIGNING_KEY: called,
  BRAND: shown,
  SECRETS_KEYS: { workers: GROUPS },
  LOG_LEVEL: shown,
  ANTHROPIC_API_KEY: called,
  ANTHROPIC_BASE_URL: { ...called, isPublic: true },
  OPENAI_API_KEY: called,
  OPENAI_BASE_URL: { ...called, isPublic: true },
  PROVIDER_LOGINS: { workers: ["admin", "callbacks"] },
  OIDC_ISSUER: { ...signIn, isPublic: true },
  OIDC_CLIENT_ID: { ...signIn, isPublic: true },
  OIDC_CLIENT_SECRET: signIn,
  OIDC_SCOPES: { ...signIn, isPublic: true },
  IDP_INTERNAL_SECRET: { workers: ["auth"] },
  BOT_API_URL: { workers: ["admin"], isPublic: true },
  EMAIL_HOOK_URL: { workers: ["auth", "account", "admin", "callbacks"], isPublic: true },
  EMAIL_HOOK_SECRET: { workers: ["auth", "account", "admin", "callbacks"] },
  HEALTH_TOKEN: { workers: ["admin"] },
  ALERT_URL: called,
  ALERT_EMAIL: { ...called, isPublic: true },
  TURN_SLOTS: shown,
  TEST_TURN_SLOTS: shown,
  END_USER_TURN_SLOTS: shown,
  RUNNERS: shown,
  WEBHOOK_RUNS: shown,
}

/** The connection string of a worker's own role, under which the settings file keeps it. */
export const urlSettingOf = (group: GroupName) => `${group.toUpperCase()}_DATABASE_URL`

export const isGroup = (name: string): name is GroupName => (GROUPS as readonly string[]).includes(name)
export { GROUPS }
