import * as z from "zod"
import { TurnpikeError } from "./errors.ts"
import { parseKeyRing } from "./key-ring.ts"
import { onceFor } from "./once-for.ts"
import { parseOtelHeaders } from "./operator-traces.ts"
import { providerLoginsSchema } from "./provider-logins.ts"

const url = z.url({ protocol: /^https?$/ })
const slots = z.coerce.number().int().min(1).max(10_000)
const optionalText = z
  .string()
  .optional()
  .transform((value) => value || undefined)

const optionalUrl = z
  .union([z.literal(""), url])
  .optional()
  .transform((value) => value || undefined)

/** The bindings of every worker. A local worker only has different URLs and tokens. */
const base = z.object({
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,31}$/)
    .default("turnpike"),
  DATABASE_URL: z.string().startsWith("postgres"),
  /** The URL of Neon's HTTP endpoint, if it cannot be derived from DATABASE_URL's host. */
  DATABASE_HTTP_URL: url.optional(),
  UPSTASH_REDIS_REST_URL: url,
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1),
  FILES: z.custom<R2Bucket>((value) => typeof value === "object" && value !== null, "the R2 bucket FILES is not bound"),
  QSTASH_URL: url.default("https://qstash.upstash.io"),
  QSTASH_TOKEN: z.string().min(1),
  /** The public origin of the callbacks worker, for QStash. */
  CALLBACKS_URL: url,
  /** The keys that encrypt owners' secrets: `id:base64`, newest first. */
  SECRETS_KEYS: z.string().transform((text, context) => {
    try {
      return parseKeyRing(text)
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is not a key ring" })
      return z.NEVER
    }
  }),
  /** The messaging platform's Bot API, or a compatible server. */
  BOT_API_URL: url.default("https://api.telegram.org"),
  /** The operator's server that sends emails (docs/configuration.md), and the secret that authenticates us there. */
  EMAIL_HOOK_URL: optionalUrl,
  EMAIL_HOOK_SECRET: optionalText,
  /** The token of `GET /api/health`, which does not exist without it. */
  HEALTH_TOKEN: optionalText,
  /** Where researchers report vulnerabilities, in `/.well-known/security.txt`. */
  SECURITY_CONTACT: z
    .union([z.literal(""), z.url({ protocol: /^(https|mailto|tel)$/ })])
    .optional()
    .transform((value) => value || undefined),
  /** Where alerts to the operator are sent: a URL, and an email address for the server of EMAIL_HOOK_URL. */
  ALERT_URL: optionalUrl,
  ALERT_EMAIL: optionalText,
  /** The operator's collector of spans, named as OpenTelemetry names it. Only the callbacks worker reads it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalUrl,
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default("")
    .transform((text, context) => {
      try {
        return parseOtelHeaders(text)
      } catch (error) {
        context.addIssue({
          code: "custom",
          message: error instanceof Error ? error.message : "is not a list of headers",
        })
        return z.NEVER
      }
    }),
  OTEL_SERVICE_NAME: optionalText,
  /** `true` or `span_only`: the operator's spans have texts of accounts. */
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: z
    .enum(["true", "span_only", "SPAN_ONLY", "false", "no_content", "NO_CONTENT", ""])
    .default("false"),
  /** Additional hosts of our own that owners' URLs must not use, separated by commas. */
  OWN_HOSTS: z.string().default(""),
  /** Allows owners' URLs to reach private and loopback addresses. Only `npm start` and `npm run stack` set it. */
  ALLOW_PRIVATE_TARGETS: z.literal("1").optional(),
  /** How accounts at model providers are logged in. Only the admin and callbacks workers read it. */
  PROVIDER_LOGINS: providerLoginsSchema,
  /** The most concurrent turns of an account, live and test, and of one of its end users. */
  TURN_SLOTS: slots.default(100),
  TEST_TURN_SLOTS: slots.default(20),
  END_USER_TURN_SLOTS: slots.default(100),
  /** The most concurrent runners of turns and dispatchers of webhooks: shares of the queue plan's concurrency. */
  RUNNERS: slots.default(40),
  WEBHOOK_RUNS: slots.default(30),
  /** `0`: the cron asks the database every minute, also when nothing is due. */
  SLEEP_WHEN_IDLE: z.enum(["0", "1"]).default("1"),
  LOG_LEVEL: z.enum(["info", "error", "silent"]).default("info"),
})

/** Additional bindings for sign-in: an OpenID provider, and the secret of our own identity service. */
const waysIn = {
  OIDC_ISSUER: optionalUrl,
  OIDC_CLIENT_ID: optionalText,
  /** Without a secret we are a public client, and only PKCE protects the code. */
  OIDC_CLIENT_SECRET: optionalText,
  OIDC_SCOPES: optionalText,
  /** Without it, `POST /api/auth/idp/session` does not exist. */
  IDP_INTERNAL_SECRET: optionalText.transform((value) => value?.trim() || undefined),
}

const auth = base.extend(waysIn)

/** The callbacks worker also verifies signatures and calls models. */
const callbacks = base.extend({
  QSTASH_CURRENT_SIGNING_KEY: z.string().min(1),
  QSTASH_NEXT_SIGNING_KEY: z.string().min(1),
  ANTHROPIC_API_KEY: optionalText,
  ANTHROPIC_BASE_URL: optionalText,
  OPENAI_API_KEY: optionalText,
  OPENAI_BASE_URL: optionalText,
})

export type BaseEnv = z.infer<typeof base>
export type AuthEnv = z.infer<typeof auth>
export type CallbacksEnv = z.infer<typeof callbacks>

/** Throws UNAVAILABLE with the names of invalid variables, but never with a value. */
const parser = <T extends object>(schema: z.ZodType<T>) =>
  onceFor((bindings: object): T => {
    const result = schema.safeParse(bindings)
    if (result.success) return result.data
    const cause = new Error(z.prettifyError(result.error))
    throw new TurnpikeError("UNAVAILABLE", faultsOf(bindings, result.error), { retryable: false, cause })
  })

function faultsOf(bindings: object, { issues }: z.ZodError): string {
  const names = [...new Set(issues.map(({ path }) => String(path[0])))]
  const isSet = (name: string) => Boolean((bindings as Record<string, unknown>)[name])
  const [missing, wrong] = [names.filter((name) => !isSet(name)), names.filter(isSet)]
  return [
    ...(missing.length > 0 ? [`This worker lacks ${missing.join(", ")}.`] : []),
    ...(wrong.length > 0 ? [`These variables have invalid values: ${wrong.join(", ")}.`] : []),
    "Locally, `npm run stack` starts the servers and writes .dev.vars, which the next `npx wrangler dev` reads.",
    "For a deployed worker, see docs/configuration.md.",
  ].join(" ")
}

export const parseBaseEnv = parser(base)
export const parseAuthEnv = parser(auth)
export const parseCallbacksEnv = parser(callbacks)
/** For one worker with all groups. */
export const parseAllEnv = parser(callbacks.extend(waysIn))
