import * as z from "zod"
import { countInWords } from "../base/in-words.ts"
import { MICROS_PER_USD, usdAmount, usdIn } from "../base/money.ts"

/** A setting that operators can change while the service runs. */
interface SettingEntry<Value extends z.ZodType = z.ZodType> {
  description: string
  /** Validates values, including their bounds. */
  schema: Value
  /** The value until an operator sets one. */
  default: z.output<Value>
}

const setting = <Value extends z.ZodType>(entry: SettingEntry<Value>) => entry

const PLAN_ID = /^[a-z][a-z0-9_-]{0,31}$/

/** The benefits of a plan. Amounts are in USD with at most 7 decimals. */
const planSchema = z.strictObject({
  label: z.string().trim().min(1).max(100),
  included_credit_usd: usdIn(z.number().min(0).max(100_000)).default(0),
  daily_cap_usd: usdAmount.nullable().default(null),
})

/** A request to a provider. Its path is relative to the base URL of an account. */
const limitRequest = z
  .strictObject({
    method: z.enum(["GET", "POST"]).default("GET"),
    path: z
      .string()
      .max(500)
      .regex(/^\/[\x21-\x7e]*$/, "must begin with / and have no spaces"),
    body: z.record(z.string(), z.json()).optional(),
  })
  .refine(({ method, body }) => method === "POST" || body === undefined, "GET must not have a body")

/** The upper bound. A higher value in the database is treated as this one. */
const MAX_TRIAL_DAYS = 3_650
const MAX_CREDIT_MICROS = 100_000 * MICROS_PER_USD

const creditMicros = z.int().min(0).max(MAX_CREDIT_MICROS)

/**
 * The fewest days for which data is kept, so that no promise is broken: a repeated Idempotency-Key is answered for 7
 * days, deliveries are retried for up to 5 days and endpoints are repaired, and the report of capacity has 90 days.
 */
const LEAST_KEPT_DAYS = 7
const LEAST_EVENT_DAYS = 30
const LEAST_AUDIT_DAYS = 90
const LEAST_SNAPSHOT_DAYS = 92
/** Longer than a service is operated: data is kept forever. */
export const MOST_KEPT_DAYS = 36_500

const days = (least: number) => z.int().min(least).max(MOST_KEPT_DAYS)

/** All settings. A row of the table `settings` overrides the default. A change takes effect with the next request. */
export const SETTINGS = {
  plans: setting({
    description:
      "The plans that subscriptions can have. Each has a label, the credit that is added for each month, and a daily cap in USD " +
      "(per UTC day; null: no cap).",
    schema: z
      .record(z.string().regex(PLAN_ID), planSchema)
      .refine((plans) => Object.keys(plans).length <= 50, "must have at most 50 plans"),
    default: { trial: { label: "Trial", included_credit_usd: 0, daily_cap_usd: null } },
  }),
  trial_plan: setting({
    description: "The plan that a user gets at the first sign-in with the messaging platform.",
    schema: z.string().regex(PLAN_ID),
    default: "trial",
  }),
  trial_days: setting({
    description: "The duration of the trial plan in days. 0: users get no trial.",
    schema: z.int().min(0).max(MAX_TRIAL_DAYS),
    default: 14,
  }),
  signup_credit_micros: setting({
    description: `Credit for the first sign-in, in credit micros (${countInWords(MICROS_PER_USD)} are 1 USD).`,
    schema: creditMicros,
    default: 2_500_000,
  }),
  referred_credit_micros: setting({
    description: "Additional credit for a user who was referred, in credit micros.",
    schema: creditMicros,
    default: 2_500_000,
  }),
  referrer_credit_micros: setting({
    description: "Credit for the account that referred the user, in credit micros.",
    schema: creditMicros,
    default: 2_500_000,
  }),
  referrer_most_credited: setting({
    description:
      "The maximum number of referrals per account that give credit, to the account and to the referred user. Further referrals are recorded without credit.",
    schema: z.int().min(0).max(1_000_000),
    default: 50,
  }),
  admin_second_factor: setting({
    description:
      "`required`: admins have the rights of a user until they set up a second factor. Set up your own first.",
    schema: z.enum(["optional", "required"]),
    default: "optional",
  }),
  turn_texts_for_operators: setting({
    description:
      "`with_reason`: admins see the texts of an account's turn, and act as a user, only if they state a reason, which the audit log records. " +
      "`shown`: they see them without one. Each look is in the audit log.",
    schema: z.enum(["shown", "with_reason"]),
    default: "shown",
  }),
  members_daily_credit_micros: setting({
    description:
      "The default daily cap for all members of a shared space together, per UTC day, in credit micros " +
      `(${countInWords(MICROS_PER_USD)} are 1 USD). ` +
      "The owner of the space pays, and can set another cap.",
    schema: creditMicros,
    default: 50_000_000,
  }),
  top_up_url: setting({
    description:
      "The page where users buy credit: an address with https, or a mailto address. The web app links it. Empty: it tells users to ask the operator.",
    schema: z
      .string()
      .trim()
      .max(500)
      .regex(/^(|https:\/\/\S+|mailto:\S+)$/, "must be empty, or begin with https:// or mailto:"),
    default: "",
  }),
  container_second_usd: setting({
    description: "The price of one second of a container, in USD.",
    schema: z.number().min(0).max(1),
    default: 0,
  }),
  stored_gib_hour_usd: setting({
    description: "The price of one GiB stored for one hour, in USD.",
    schema: z.number().min(0).max(1),
    default: 0,
  }),
  max_open_test_turns: setting({
    description:
      "The maximum number of open (queued or running) test turns per account. Further test turns are rejected with QUOTA_EXCEEDED.",
    schema: z.int().min(1).max(100_000),
    default: 500,
  }),
  max_daily_test_turns: setting({
    description:
      "The maximum number of test turns per account within a day. Further test turns are rejected with QUOTA_EXCEEDED until the oldest is a day old.",
    schema: z.int().min(1).max(10_000_000),
    default: 20_000,
  }),
  test_data_days: setting({
    description:
      "The number of days after its end for which the texts, events and steps of a test turn are kept. After that, only its state and figures stay.",
    schema: days(1),
    default: 90,
  }),
  text_days: setting({
    description:
      "The number of days after its end for which a turn's texts are kept: the request, the reply, the message of its error and the metadata. " +
      "After that, its conversation starts again without it. Its bill and its figures stay.",
    schema: days(LEAST_KEPT_DAYS),
    default: 730,
  }),
  step_days: setting({
    description:
      "The number of days after its end for which a turn's steps and its log are kept: what the models wrote, and the input and output of tools.",
    schema: days(LEAST_KEPT_DAYS),
    default: 90,
  }),
  event_days: setting({
    description: "The number of days for which events are kept. An event that is still being sent is kept longer.",
    schema: days(LEAST_EVENT_DAYS),
    default: 400,
  }),
  delivery_days: setting({
    description:
      "The number of days for which deliveries of webhooks are kept. Events before that cannot be sent again. At most event_days.",
    schema: days(LEAST_EVENT_DAYS),
    default: 90,
  }),
  attempt_days: setting({
    description:
      "The number of days for which the attempts of deliveries are kept, with the responses of receivers. At most delivery_days.",
    schema: days(LEAST_KEPT_DAYS),
    default: 30,
  }),
  session_days: setting({
    description:
      "The number of days for which a session is kept after its end. It shows where an owner has signed in before.",
    schema: days(LEAST_KEPT_DAYS),
    default: 30,
  }),
  audit_days: setting({
    description: "The number of days for which entries of the audit log are kept.",
    schema: days(LEAST_AUDIT_DAYS),
    default: 1_095,
  }),
  snapshot_days: setting({
    description:
      "The number of days for which snapshots of the limits of provider accounts are kept. Reports show them.",
    schema: days(LEAST_SNAPSHOT_DAYS),
    default: LEAST_SNAPSHOT_DAYS,
  }),
  max_keys: setting({
    description:
      "The maximum number of API keys per account, including revoked and expired keys. Further keys are rejected with LIMIT_REACHED; existing keys stay.",
    schema: z.int().min(1).max(1_000_000),
    default: 1_000,
  }),
  max_daily_key_changes: setting({
    description:
      "The maximum number of times that an account can create, change or rotate API keys within a day. Further requests are rejected with QUOTA_EXCEEDED. A key can always be revoked.",
    schema: z.int().min(1).max(1_000_000),
    default: 1_000,
  }),
  max_members: setting({
    description:
      "The maximum number of members of an account, with open invitations. Further invitations are rejected with LIMIT_REACHED.",
    schema: z.int().min(1).max(10_000),
    default: 100,
  }),
  max_daily_invitations: setting({
    description:
      "The maximum number of people that an account can invite within a day. Further invitations are rejected with QUOTA_EXCEEDED.",
    schema: z.int().min(1).max(10_000),
    default: 100,
  }),
  max_end_users: setting({
    description:
      "The maximum number of end users per account with limits of their own. Further end users are rejected with LIMIT_REACHED; existing limits stay.",
    schema: z.int().min(1).max(100_000_000),
    default: 100_000,
  }),
  max_spaces: setting({
    description:
      "The maximum number of spaces per account, including archived spaces. Further spaces are rejected with LIMIT_REACHED; existing spaces stay.",
    schema: z.int().min(1).max(10_000_000),
    default: 20_000,
  }),
  kept_versions: setting({
    description:
      "The number of configuration versions that are kept per space, besides versions that running turns use. An account that has " +
      "reached max_config_bytes keeps ten.",
    schema: z.int().min(10).max(1_000_000),
    default: 1_000,
  }),
  max_config_bytes: setting({
    description:
      "The maximum size of all configurations of an account in bytes, including kept versions and secrets. Further changes are rejected with LIMIT_REACHED.",
    schema: z
      .int()
      .min(1024 ** 2)
      .max(1024 ** 4),
    default: 1024 ** 3,
  }),
  max_files: setting({
    description:
      "The maximum number of files per account. Further files are rejected with LIMIT_REACHED; existing files stay.",
    schema: z.int().min(1).max(10_000_000),
    default: 100_000,
  }),
  max_file_bytes: setting({
    description:
      "The maximum total size of the files of an account in bytes. Further files are rejected with LIMIT_REACHED; existing files stay.",
    schema: z
      .int()
      .min(1024 ** 2)
      .max(1024 ** 5),
    default: 100 * 1024 ** 3,
  }),
  provider_limit_requests: setting({
    description:
      "For each engine, a cheap request whose response headers report the remaining limits of a provider account. The path is relative to the " +
      "base URL of the account. If listing models does not report limits, use a model call with one token.",
    schema: z.strictObject({ anthropic: limitRequest, openai: limitRequest, "openai-compatible": limitRequest }),
    default: {
      anthropic: { method: "GET", path: "/models?limit=1" },
      openai: { method: "GET", path: "/models" },
      "openai-compatible": { method: "GET", path: "/models" },
    },
  }),
} satisfies Record<string, SettingEntry>

export type SettingKey = keyof typeof SETTINGS
export type SettingValue<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]["schema"]>

export const SETTING_KEYS = Object.keys(SETTINGS) as [SettingKey, ...SettingKey[]]
