import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce, type Refusals } from "../actor/edit-as.ts"
import type { Made, Once } from "../actor/once.ts"
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
    version: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: z
      .int()
      .nullable()
      .meta({ description: "The admin who made the last edit; null if it was the service.", example: 1 }),
  })
  .meta({ id: "Subscription" })

type Subscription = z.infer<typeof subscriptionSchema>

const plan = z.string().min(1).max(32).meta({ description: PLAN, example: "pro" })
const note = z.string().trim().min(1).max(500).nullable().meta({ example: "Agreed on the phone." })

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
  })
  .meta({ id: "SubscriptionCreate" })

/** SubscriptionUpdate of docs/contract.md. Omitted fields do not change. */
export const subscriptionUpdateSchema = z
  .strictObject({
    plan: plan.optional(),
    ends_at: instantParam.nullable().optional().meta({ description: ENDS, example: "2027-01-15T00:00:00.000Z" }),
    note: note.optional(),
  })
  .meta({ id: "SubscriptionUpdate" })

const REFUSALS = {
  unknown: ["NOT_FOUND", "There is no such subscription."],
  unknown_user: ["NOT_FOUND", "There is no such user."],
  unknown_plan: ["VALIDATION_FAILED", "plan: is not in the setting `plans`"],
  ended: ["SUBSCRIPTION_ENDED", "The subscription was deactivated and cannot be changed."],
  too_short: ["VALIDATION_FAILED", "ends_at: must be after starts_at"],
} as const satisfies Refusals

function serializeSubscription(row: Answers["subscription_answer"]): Subscription {
  return {
    ...row,
    starts_at: toInstant(row.starts_at),
    ends_at: toInstant(row.ends_at),
    deactivated_at: toInstant(row.deactivated_at),
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}

/**
 * Creates a subscription, once per Idempotency-Key. The credit of the current period is added after the answer is sent.
 * NOT_FOUND for an unknown user, VALIDATION_FAILED for an unknown plan.
 */
export async function createSubscription(
  ctx: Context,
  credential: SessionCredential,
  { user_id, plan, starts_at, ends_at, note }: z.infer<typeof subscriptionCreateSchema>,
  once?: Once,
): Promise<Made<Subscription>> {
  const starts = starts_at === undefined ? ctx.clock.now() : new Date(starts_at)
  const answer = await editOnce(ctx, credential, "create_subscription", {
    once,
    args: { user_id, plan, starts_at: starts, ends_at: ends_at === null ? null : new Date(ends_at), note },
    refusals: REFUSALS,
    serialize: serializeSubscription,
  })
  // If this call is lost, the sweeper adds the credit within a minute.
  ctx.background(creditSubscription(ctx, answer.made.sub_id).catch(() => {}))
  return answer
}

/**
 * Edits or deactivates a subscription. NOT_FOUND, VERSION_MISMATCH; SUBSCRIPTION_ENDED for an edit after deactivation;
 * VALIDATION_FAILED for an unknown plan, or an end before the start.
 */
export async function updateSubscription(
  ctx: Context,
  credential: SessionCredential,
  subId: number,
  { change, ifVersion }: { change: z.infer<typeof subscriptionUpdateSchema> | "deactivate"; ifVersion: number | null },
): Promise<Subscription> {
  const deactivate = change === "deactivate"
  return editAs(ctx, credential, "update_subscription", {
    args: { sub_id: subId, change: deactivate ? {} : change, deactivate, if_version: ifVersion },
    refusals: REFUSALS,
    serialize: serializeSubscription,
  })
}
