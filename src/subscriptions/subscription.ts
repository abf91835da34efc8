import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce, type Refusals } from "../actor/edit-as.ts"
import type { Made, Once } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { instantParam, toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { creditSubscription } from "./credit-plans.ts"

const PLAN = "The id of a plan in the setting `plans`."
const ENDS = "The end of the plan, exclusive; null for no end."

export const subscriptionSchema = z
  .object({
    sub_id: z.int().meta({ example: 7 }),
    user_id: z.int(),
    plan: z.string().meta({ description: PLAN, example: "pro" }),
    trial: z
      .boolean()
      .meta({ description: "Whether the service assigned the plan at the first sign-in.", example: false }),
    starts_at: z.iso.datetime(),
    ends_at: z.iso.datetime().nullable().meta({ description: ENDS, example: null }),
    deactivated_at: z.iso.datetime().nullable().meta({ example: null }),
    note: z.string().nullable().meta({ example: "Agreed on the phone." }),
    alongside: z.boolean().meta({
      description: "Whether an admin gave it besides another active subscription.",
      example: false,
    }),
    version: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: z
      .int()
      .nullable()
      .meta({ description: "The admin who made the last edit; null if it was the service.", example: 1 }),
  })
  .meta({ id: "Subscription" })

export type Subscription = z.infer<typeof subscriptionSchema>

const plan = z.string().min(1).max(32).meta({ description: PLAN, example: "pro" })
const note = z.string().trim().min(1).max(500).nullable().meta({ example: "Agreed on the phone." })

const alongside = z.boolean().meta({
  description: "Allows that the user has another active subscription at the same time. Both plans give their credit.",
  example: false,
})

/** SubscriptionCreate of docs/contract.md. */
export const subscriptionCreateSchema = z
  .strictObject({
    user_id: z.int().min(1),
    plan,
    starts_at: instantParam
      .optional()
      .meta({ description: "Default: now. Each period starts on the same day of the month." }),
    ends_at: instantParam.nullable().default(null).meta({ description: ENDS, example: null }),
    note: note.default(null),
    replaces: z.int().min(1).max(2_147_483_647).nullable().default(null).meta({
      description:
        "The `sub_id` of a subscription of the user that ends when this one starts; at once if this one has started.",
      example: null,
    }),
    alongside: alongside.default(false),
  })
  .meta({ id: "SubscriptionCreate" })

/** SubscriptionUpdate of docs/contract.md. Omitted fields do not change. */
export const subscriptionUpdateSchema = z
  .strictObject({
    plan: plan.optional(),
    ends_at: instantParam.nullable().optional().meta({ description: ENDS, example: "2027-01-15T00:00:00.000Z" }),
    note: note.optional(),
    alongside: alongside.optional(),
  })
  .meta({ id: "SubscriptionUpdate" })

const REFUSALS = {
  unknown: ["NOT_FOUND", "There is no such subscription."],
  unknown_user: ["NOT_FOUND", "There is no such user."],
  unknown_plan: ["VALIDATION_FAILED", "plan: is not in the setting `plans`"],
  ended: ["SUBSCRIPTION_ENDED", "The subscription was deactivated and cannot be changed."],
  too_short: ["VALIDATION_FAILED", "ends_at: must be after starts_at"],
  unknown_replaced: ["VALIDATION_FAILED", "replaces: is not a subscription of this user"],
  replaced_ended: ["SUBSCRIPTION_ENDED", "The subscription in `replaces` ends before the new one starts."],
  active: (entity: unknown) => subscriptionActive(entity as Answers["subscription_answer"]),
} as const satisfies Refusals

function subscriptionActive(row: Answers["subscription_answer"]): TurnpikeError {
  const message = `The user has the active subscription ${row.sub_id} (plan ${row.plan}). Nothing was changed. Send \`replaces: ${row.sub_id}\` to end it, or \`alongside: true\` to give both.`
  return new TurnpikeError("SUBSCRIPTION_ACTIVE", message, { details: { subscription: serializeSubscription(row) } })
}

export function serializeSubscription(row: Answers["subscription_answer"]): Subscription {
  return {
    ...row,
    starts_at: toInstant(row.starts_at),
    ends_at: toInstant(row.ends_at),
    deactivated_at: toInstant(row.deactivated_at),
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}

export const CREATE_SUBSCRIPTION_ERRORS = ["NOT_FOUND", "SUBSCRIPTION_ACTIVE", "SUBSCRIPTION_ENDED"] as const

/**
 * Creates a subscription, once per Idempotency-Key. The credit of the current period is added after the answer is sent.
 * NOT_FOUND for an unknown user, VALIDATION_FAILED for an unknown plan or an unknown `replaces`, SUBSCRIPTION_ENDED if
 * the replaced one has ended, SUBSCRIPTION_ACTIVE for another active one.
 */
export async function createSubscription(
  ctx: Context,
  credential: SessionCredential,
  { starts_at, ends_at, ...wanted }: z.infer<typeof subscriptionCreateSchema>,
  once?: Once,
): Promise<Made<Subscription>> {
  const starts = starts_at === undefined ? ctx.clock.now() : new Date(starts_at)
  const answer = await editOnce(ctx, credential, "create_subscription", {
    once,
    args: { subscription: { ...wanted, starts_at: starts, ends_at: ends_at === null ? null : new Date(ends_at) } },
    refusals: REFUSALS,
    serialize: serializeSubscription,
  })
  await ctx.refusals.free(answer.made.user_id)
  // If this call is lost, the sweeper adds the credit within a minute.
  ctx.background(creditSubscription(ctx, answer.made.sub_id).catch(() => {}))
  return answer
}

export const UPDATE_SUBSCRIPTION_ERRORS = ["NOT_FOUND", "SUBSCRIPTION_ACTIVE", "SUBSCRIPTION_ENDED"] as const

/**
 * Edits or deactivates a subscription. NOT_FOUND, VERSION_MISMATCH; SUBSCRIPTION_ENDED for an edit after deactivation;
 * VALIDATION_FAILED for an unknown plan, or an end before the start; SUBSCRIPTION_ACTIVE if a later end reaches into
 * the time of another one.
 */
export async function updateSubscription(
  ctx: Context,
  credential: SessionCredential,
  subId: number,
  { change, ifVersion }: { change: z.infer<typeof subscriptionUpdateSchema> | "deactivate"; ifVersion: number | null },
): Promise<Subscription> {
  const deactivate = change === "deactivate"
  const subscription = await editAs(ctx, credential, "update_subscription", {
    args: { sub_id: subId, change: deactivate ? {} : change, deactivate, if_version: ifVersion },
    refusals: {
      ...REFUSALS,
      active: (_entity, { other }) => subscriptionActive(other as Answers["subscription_answer"]),
    },
    serialize: serializeSubscription,
  })
  await ctx.refusals.free(subscription.user_id)
  return subscription
}
