/** The workers of groups of routes, without the worker `dashboard`, which needs no variable. */
export const GROUPS = ["v1", "auth", "account", "admin", "callbacks"] as const
export type GroupName = (typeof GROUPS)[number]

const SIGN_IN = ["auth", "account"] as const
const EMAIL = ["auth", "account", "admin", "callbacks"] as const
const CALLBACKS = ["callbacks"] as const

/** Variables that `npm run deploy` writes as secrets, with the workers that read them (docs/configuration.md). */
export const VARIABLES: Readonly<Record<string, readonly GroupName[]>> = {
  DATABASE_URL: GROUPS,
  DATABASE_HTTP_URL: GROUPS,
  UPSTASH_REDIS_REST_URL: GROUPS,
  UPSTASH_REDIS_REST_TOKEN: GROUPS,
  QSTASH_TOKEN: GROUPS,
  QSTASH_URL: GROUPS,
  QSTASH_CURRENT_SIGNING_KEY: CALLBACKS,
  QSTASH_NEXT_SIGNING_KEY: CALLBACKS,
  BRAND: GROUPS,
  SECRETS_KEYS: GROUPS,
  LOG_LEVEL: GROUPS,
  SLEEP_WHEN_IDLE: GROUPS,
  ANTHROPIC_API_KEY: CALLBACKS,
  ANTHROPIC_BASE_URL: CALLBACKS,
  OPENAI_API_KEY: CALLBACKS,
  OPENAI_BASE_URL: CALLBACKS,
  PROVIDER_LOGINS: ["admin", "callbacks"],
  OIDC_ISSUER: SIGN_IN,
  OIDC_CLIENT_ID: SIGN_IN,
  OIDC_CLIENT_SECRET: SIGN_IN,
  OIDC_SCOPES: SIGN_IN,
  IDP_INTERNAL_SECRET: ["auth"],
  BOT_API_URL: ["admin"],
  EMAIL_HOOK_URL: EMAIL,
  EMAIL_HOOK_SECRET: EMAIL,
  SECURITY_CONTACT: GROUPS,
  HEALTH_TOKEN: ["admin"],
  ALERT_URL: CALLBACKS,
  ALERT_EMAIL: CALLBACKS,
  OTEL_EXPORTER_OTLP_ENDPOINT: CALLBACKS,
  OTEL_EXPORTER_OTLP_HEADERS: CALLBACKS,
  OTEL_SERVICE_NAME: CALLBACKS,
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: CALLBACKS,
  TURN_SLOTS: GROUPS,
  TEST_TURN_SLOTS: GROUPS,
  END_USER_TURN_SLOTS: GROUPS,
  RUNNERS: GROUPS,
  WEBHOOK_RUNS: GROUPS,
}

/** The connection string of a worker's own role, under which the settings file keeps it. */
export const urlSettingOf = (group: GroupName) => `${group.toUpperCase()}_DATABASE_URL`

export const isGroup = (name: string): name is GroupName => (GROUPS as readonly string[]).includes(name)
