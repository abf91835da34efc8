import * as z from "zod"
import { countInWords } from "../base/in-words.ts"
import { MICROS_PER_USD, usdAmount } from "../base/money.ts"

/** A setting that operators can change while the service runs. */
interface SettingEntry<Value extends z.ZodType = z.ZodType> {
  description: string
  /** What it may be, with its bounds. */
  schema: Value
  /** What counts while nobody has set it. */
  default: z.output<Value>
}

const setting = <Value extends z.ZodType>(entry: SettingEntry<Value>) => entry

const PLAN_ID = /^[a-z][a-z0-9_-]{0,31}$/

/** What a plan gives. Amounts are USD with at most 7 decimals. */
const planSchema = z.strictObject({
  label: z.string().trim().min(1).max(100),
  included_credit_usd: usdAmount.max(100_000).default(0),
  daily_cap_usd: usdAmount.nullable().default(null),
})

/** A request to a provider, below an account's base URL. */
const limitRequest = z
  .strictObject({
    method: z.enum(["GET", "POST"]).default("GET"),
    path: z
      .string()
      .max(500)
      .regex(/^\/[\x21-\x7e]*$/, "begins with / and has no blanks"),
    body: z.record(z.string(), z.json()).optional(),
  })
  .refine(({ method, body }) => method === "POST" || body === undefined, "GET has no body")

/** A setting in the database that is higher counts as this. */
const MAX_TRIAL_DAYS = 3_650
const MAX_CREDIT_MICROS = 100_000 * MICROS_PER_USD

const creditMicros = z.int().min(0).max(MAX_CREDIT_MICROS)

/** Every setting there is. A row of the table `settings` takes precedence over the default; a change binds the next request. */
export const SETTINGS = {
  plans: setting({
    description:
      "The plans that a subscription can name: a label, the credit that is booked for each month of it, and what an account may spend " +
      "in a day (UTC), null for no cap.",
    schema: z
      .record(z.string().regex(PLAN_ID), planSchema)
      .refine((plans) => Object.keys(plans).length <= 50, "at most 50 plans"),
    default: { trial: { label: "Trial", included_credit_usd: 0, daily_cap_usd: null } },
  }),
  trial_plan: setting({
    description: "The plan of the first sign-in with the messaging platform.",
    schema: z.string().regex(PLAN_ID),
    default: "trial",
  }),
  trial_days: setting({
    description: "How many days that plan lasts; 0: none is given.",
    schema: z.int().min(0).max(MAX_TRIAL_DAYS),
    default: 14,
  }),
  signup_credit_micros: setting({
    description: `Credit of the first sign-in, in credit micros (${countInWords(MICROS_PER_USD)} are 1 USD).`,
    schema: creditMicros,
    default: 2_500_000,
  }),
  referred_credit_micros: setting({
    description: "Additional credit of somebody who was referred, in credit micros.",
    schema: creditMicros,
    default: 2_500_000,
  }),
  referrer_credit_micros: setting({
    description: "Credit of the account that referred them, in credit micros.",
    schema: creditMicros,
    default: 2_500_000,
  }),
  referrer_most_credited: setting({
    description:
      "How many people whom one account has referred earn it, and themselves, the credit of a referral. Those after them are noted only.",
    schema: z.int().min(0).max(1_000_000),
    default: 50,
  }),
  admin_second_factor: setting({
    description:
      "`required`: an admin acts as one only with a second factor, and is a user until they have set one up. Set up your own first.",
    schema: z.enum(["optional", "required"]),
    default: "optional",
  }),
  members_daily_credit_micros: setting({
    description:
      "What all people with whom a space is shared may spend of its owner's balance in a day (UTC), in credit micros " +
      `(${countInWords(MICROS_PER_USD)} are 1 USD), ` +
      "where the owner has set nothing.",
    schema: creditMicros,
    default: 50_000_000,
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
      "How many test turns of an account may be open at once, queued or running. More are refused with QUOTA_EXCEEDED.",
    schema: z.int().min(1).max(100_000),
    default: 500,
  }),
  max_daily_test_turns: setting({
    description:
      "How many test turns an account may send within a day. More are refused with QUOTA_EXCEEDED until the oldest of them is a day old.",
    schema: z.int().min(1).max(10_000_000),
    default: 20_000,
  }),
  test_data_days: setting({
    description:
      "How many days the texts, events and steps of a test turn are kept after its end. Then only its state and its numbers stay.",
    schema: z.int().min(1).max(3_650),
    default: 90,
  }),
  max_keys: setting({
    description:
      "How many API keys an account may have, revoked and expired ones included. More are refused with LIMIT_REACHED; nothing is taken away.",
    schema: z.int().min(1).max(1_000_000),
    default: 1_000,
  }),
  max_daily_key_changes: setting({
    description:
      "How often an account may create, change or rotate API keys within a day. More is refused with QUOTA_EXCEEDED. A key can always be revoked.",
    schema: z.int().min(1).max(1_000_000),
    default: 1_000,
  }),
  max_end_users: setting({
    description:
      "How many end users of an account may have limits of their own. More are refused with LIMIT_REACHED; nothing is taken away.",
    schema: z.int().min(1).max(100_000_000),
    default: 100_000,
  }),
  max_spaces: setting({
    description:
      "How many spaces an account may have, archived ones included. More are refused with LIMIT_REACHED; nothing is taken away.",
    schema: z.int().min(1).max(10_000_000),
    default: 20_000,
  }),
  kept_versions: setting({
    description:
      "How many versions of each space's configuration are kept, beside those that a running turn runs on. An account that is at " +
      "max_config_bytes keeps ten.",
    schema: z.int().min(10).max(1_000_000),
    default: 1_000,
  }),
  max_config_bytes: setting({
    description:
      "How many bytes of configuration an account may have, with the versions that are kept and secrets. More is refused with LIMIT_REACHED.",
    schema: z
      .int()
      .min(1024 ** 2)
      .max(1024 ** 4),
    default: 1024 ** 3,
  }),
  max_files: setting({
    description: "How many files an account may have. More are refused with LIMIT_REACHED; nothing is taken away.",
    schema: z.int().min(1).max(10_000_000),
    default: 100_000,
  }),
  max_file_bytes: setting({
    description:
      "How many bytes the files of an account may have. More is refused with LIMIT_REACHED; nothing is taken away.",
    schema: z
      .int()
      .min(1024 ** 2)
      .max(1024 ** 5),
    default: 100 * 1024 ** 3,
  }),
  provider_limit_requests: setting({
    description:
      "By engine, the cheap request whose headers say what an account at a provider has left, below the account's base URL. Where the list of " +
      "models does not say it, a model call of one token does.",
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
