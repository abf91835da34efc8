import * as z from "zod"
import { countStateSchema } from "../base/counted.ts"
import type { ErrorCode } from "../base/errors.ts"
import { MEMBER_ROLES, OWN_ROLES } from "../base/member-roles.ts"
import { MAX_FAULTS } from "../http/check-input.ts"
import { knownKeySchema } from "../keys/known-key.ts"
import { rateStateSchema } from "../quotas/rate.ts"
import {
  costLimitDetailsSchema,
  creditsDetailsSchema,
  DETAILS_EXAMPLES,
  endUserCreditDetailsSchema,
  quotaDetailsSchema,
} from "../quotas/refusal.ts"
import { subscriptionSchema } from "../subscriptions/subscription.ts"
import { TURN_STATES } from "../turns/schemas.ts"
import { waitingSchema } from "../turns/waiting-schema.ts"
import { earlierDecisionSchema } from "../waits/decide-call.ts"

const limitOfCaller = z.object({ cap: z.enum(["open_waits", "portal_sessions"]), limit: z.int() }).meta({
  id: "CallerLimit",
  description:
    "A limit on requests. `open_waits`: long polls and streams of one caller. `portal_sessions`: sessions of the portal that an account opens at once.",
})

/** The schema of an error's `details`, by code. All other codes have no details. */
const DETAILS = {
  QUOTA_EXCEEDED: z.union([quotaDetailsSchema, countStateSchema, limitOfCaller]),
  INSUFFICIENT_CREDITS: creditsDetailsSchema,
  END_USER_CREDIT_SPENT: endUserCreditDetailsSchema,
  COST_LIMIT_TOO_LOW: costLimitDetailsSchema,
  LIMIT_REACHED: countStateSchema,
  RATE_LIMITED: rateStateSchema,
  TURN_FINISHED: z.object({ state: z.enum(TURN_STATES), earlier: earlierDecisionSchema.optional() }),
  TURN_WAITING: z
    .object({ turn_id: z.string(), waiting: waitingSchema.nullable(), waits_behind: z.string().nullable() })
    .meta({ description: "The turn that has no reply yet, and what it waits for: `waiting`, or an earlier turn." }),
  CALL_DECIDED: z.object({ earlier: earlierDecisionSchema }).partial(),
  VALIDATION_FAILED: z
    .array(z.object({ param: z.string().meta({ example: "title" }), message: z.string() }))
    .meta({ description: `The first ${MAX_FAULTS} validation errors of the request, each with its field.` }),
  VERSION_MISMATCH: z.object({
    current: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "The current state of the resource, if it exists.", example: { version: 4 } }),
  }),
  TURN_FAILED: z.object({
    turn_id: z.string(),
    state: z.enum(TURN_STATES),
    reason: z.string().meta({ description: "The `code` of the turn's error, or `cancelled`." }),
  }),
  BALANCE_TOO_LOW: z
    .object({ available_usd: z.number() })
    .meta({ description: "The amount that a correction can take from the end user's wallet." }),
  PRICE_IN_USE: z
    .object({ end_users: z.int(), keys: z.int(), account: z.boolean() })
    .meta({ description: "How many end users and keys name the price, and whether the account's default does." }),
  PROVIDER_EXISTS: z.object({ provider_id: z.string().meta({ example: "openai-main" }) }),
  SUBSCRIPTION_ACTIVE: z.object({ subscription: subscriptionSchema }),
  SIGNED_IN_AS_OTHER: z
    .object({ user: z.object({ user_id: z.int(), name: z.string().nullable() }), acting: z.boolean() })
    .meta({ description: "The user who is signed in, or whose account an admin views (`acting`)." }),
  EMAIL_TAKEN: z
    .object({ user_id: z.int(), disabled: z.boolean() })
    .partial()
    .meta({ description: "The account that has the email. Empty if it was changed at the same moment." }),
  ROLE_REQUIRED: z
    .object({
      role: z.enum(OWN_ROLES).meta({ description: "The caller's role in the account. `none`: no longer any." }),
      roles: z.array(z.enum(MEMBER_ROLES)).meta({ description: "The roles that allow the operation." }),
    })
    .meta({ id: "RoleRequired" }),
  MEMBER_HAS_KEYS: z.object({ keys: z.array(knownKeySchema) }),
} satisfies Partial<Record<ErrorCode, z.ZodType>>

type DetailedCode = keyof typeof DETAILS

const isDetailed = (code: ErrorCode): code is DetailedCode => code in DETAILS

/** Examples of `details` in the documents. */
export const ERROR_DETAILS: Partial<Record<ErrorCode, unknown>> = {
  ...DETAILS_EXAMPLES,
  LIMIT_REACHED: { cap: "spaces", limit: 1000, used: 1000 },
  RATE_LIMITED: { limit: "key_requests", most: 60, used: 60, window_seconds: 60 },
  TURN_FINISHED: { state: "done" },
  VALIDATION_FAILED: [{ param: "title", message: "is required" }],
  VERSION_MISMATCH: { current: { version: 4 } },
  TURN_FAILED: { turn_id: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c", state: "failed", reason: "MODEL_UNAVAILABLE" },
  BALANCE_TOO_LOW: { available_usd: 0.25 },
  PRICE_IN_USE: { end_users: 2, keys: 0, account: true },
  PROVIDER_EXISTS: { provider_id: "openai-main" },
  TURN_WAITING: {
    turn_id: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
    waiting: null,
    waits_behind: "turn_01jd3k9m2x4t8r5w6y7z0a1b2d",
  },
  CALL_DECIDED: {
    earlier: {
      decision: "allow",
      edited: false,
      decided_at: "2026-11-20T12:00:00.000Z",
      user_id: 42,
      name: "Ada",
      key_id: null,
      end_user_ref: null,
    },
  },
  SUBSCRIPTION_ACTIVE: {
    subscription: {
      sub_id: 7,
      user_id: 42,
      plan: "pro",
      trial: false,
      starts_at: "2026-11-20T12:00:00.000Z",
      ends_at: null,
      deactivated_at: null,
      note: null,
      alongside: false,
      version: 1,
      created_at: "2026-11-20T12:00:00.000Z",
      updated_at: "2026-11-20T12:00:00.000Z",
      updated_by: 1,
    },
  },
  SIGNED_IN_AS_OTHER: { user: { user_id: 42, name: "Ada" }, acting: false },
  EMAIL_TAKEN: { user_id: 42, disabled: true },
  ROLE_REQUIRED: { role: "read_only", roles: ["owner", "developer"] },
  MEMBER_HAS_KEYS: { keys: [] },
}

/**
 * The error schema of a surface: a union with the discriminator `code`. All codes without details share one form, and
 * each other code has its own. `idOf` names the forms.
 */
export function errorUnion<Shape extends z.ZodRawShape>(
  codes: ErrorCode[],
  shape: Shape,
  { idOf, others }: { idOf: (code: string) => string; others?: z.ZodType },
): z.ZodType {
  const plain = codes.filter((code) => !isDetailed(code)) as [ErrorCode, ...ErrorCode[]]
  const general = z
    .object({ code: z.enum(plain), ...shape, ...(others && { details: others.optional() }) })
    .meta({ id: idOf("Other") })
  const detailed = codes
    .filter(isDetailed)
    .map((code) =>
      z.object({ code: z.literal(code), ...shape, details: detailsOf(code) }).meta({ id: idOf(pascal(code)) }),
    )
  return z.union([general, ...detailed])
}

/** These codes are also thrown without details. */
const OFTEN_BARE: ErrorCode[] = [
  "VALIDATION_FAILED",
  "QUOTA_EXCEEDED",
  "LIMIT_REACHED",
  "BALANCE_TOO_LOW",
  "PROVIDER_EXISTS",
  "TURN_FINISHED",
]

const detailsOf = (code: DetailedCode): z.ZodType =>
  OFTEN_BARE.includes(code) ? DETAILS[code].optional() : DETAILS[code]

const pascal = (code: string) =>
  code
    .toLowerCase()
    .split("_")
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join("")
