import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce, type Refusals } from "../actor/edit-as.ts"
import type { Made } from "../actor/once.ts"
import { newId } from "../base/ids.ts"
import { invalid } from "../base/invalid-field.ts"
import { fromUsd, notZero, toUsd, usdIn } from "../base/money.ts"
import { instantParam } from "../base/time.ts"
import { CREDIT_REASONS } from "../billing/buckets.ts"
import { noteSchema } from "../billing/credit-account.ts"
import { BOOKING_POLICY } from "../billing/policies.ts"
import type { Answers, Records } from "../platform/procedures.ts"
import { BULK_POLICY } from "./policies.ts"
import { namedAccountsSchema } from "./user-row.ts"

const maxUsd = toUsd(BOOKING_POLICY.maxMicros)

const actSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("credit"),
      reason: z.enum(CREDIT_REASONS).meta({ example: "admin_grant" }),
      amount_usd: usdIn(z.number().min(-maxUsd).max(maxUsd), notZero).meta({
        description: "The amount for each user. Negative only for a correction, with `admin_action`.",
        example: 5,
      }),
    }),
    z.strictObject({
      kind: z.literal("plan"),
      plan: z.string().min(1).max(32).meta({ description: "A plan of the setting `plans`.", example: "pro" }),
      ends_at: instantParam
        .nullable()
        .default(null)
        .meta({ description: "The end of the subscriptions. Null: no end.", example: null }),
    }),
    z.strictObject({ kind: z.literal("disable") }),
  ])
  .meta({
    id: "BulkAct",
    description:
      "`credit` books an amount for each user. `plan` gives each user a subscription that starts now. `disable` disables each account.",
  })

const asked = {
  act: actSchema,
  user_ids: z
    .array(z.int().min(1).max(Number.MAX_SAFE_INTEGER))
    .min(1)
    .max(BULK_POLICY.maxUsers)
    .meta({ description: "The users, in any order. A user who is listed twice counts once.", example: [42, 43] }),
}

const isSigned = ({ act }: { act: z.infer<typeof actSchema> }) =>
  act.kind !== "credit" || act.amount_usd > 0 || act.reason === "admin_action"
const SIGN = { path: ["act", "amount_usd"], message: "must be positive, except for an admin_action" }

export const previewUsersChangeSchema = z.strictObject(asked).refine(isSigned, SIGN).meta({ id: "PreviewUsersChange" })

export const changeUsersSchema = z
  .strictObject({
    ...asked,
    state: z.string().min(1).max(64).meta({ description: "The `state` of the preview.", example: "5f2c9a81" }),
    note: noteSchema.meta({
      description:
        "The reason, for the audit log. With `credit`, the owners of the accounts see it with the entry in their ledger. With `plan`, it is the " +
        "note of the subscriptions.",
    }),
  })
  .refine(isSigned, SIGN)
  .meta({ id: "ChangeUsers" })

type Asked = z.infer<typeof previewUsersChangeSchema>

const OUTCOMES = ["changed", "unchanged", "refused"] as const

/** The reasons why one user is refused, as the codes of the operations on one user. */
const USER_REFUSAL_CODES = {
  unknown: "NOT_FOUND",
  balance_too_low: "BALANCE_TOO_LOW",
  active: "SUBSCRIPTION_ACTIVE",
  last_admin: "LAST_ADMIN",
} as const

const REASONS: Record<keyof typeof USER_REFUSAL_CODES, string> = {
  unknown: "There is no such user.",
  balance_too_low: "The account has less available credit than the amount to take back.",
  active: "The user has another active subscription.",
  last_admin: "This would leave no admin who can sign in.",
}

const count = z.int().meta({ example: 2 })

export const usersChangeSchema = z
  .object({
    bulk_id: z.string().nullable().meta({
      description: "The subject of the audit entry. Null for a preview, and if no user was changed.",
      example: "blk_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    state: z.string().meta({
      description:
        "Which users are changed or refused, and why. It also changes when an act of this kind is applied, so an act is applied once from a " +
        "preview. It does not cover balances.",
      example: "5f2c9a81",
    }),
    changed: count,
    unchanged: count,
    refused: count,
    items: z
      .array(
        z.object({
          user_id: z.int().meta({ example: 42 }),
          name: z.string().nullable().meta({ example: "Ada" }),
          email: z.string().nullable().meta({ example: "ada@example.com" }),
          outcome: z.enum(OUTCOMES).meta({ description: "`unchanged`: it is in effect already.", example: "changed" }),
          code: z
            .enum(USER_REFUSAL_CODES)
            .nullable()
            .meta({ description: "Why the user is refused. Null otherwise.", example: null }),
          detail: z.string().nullable().meta({ description: "The reason in words.", example: null }),
          balance_before_usd: z
            .number()
            .nullable()
            .meta({ description: "The balance before the entry. Null if nothing is booked.", example: 1.5 }),
          balance_after_usd: z.number().nullable().meta({ example: 6.5 }),
          sub_id: z.int().nullable().meta({
            description: "The new subscription, or the active one that is the reason to refuse. Null in a preview.",
            example: null,
          }),
          plan: z.string().nullable().meta({ description: "The plan of this subscription.", example: null }),
          only_owner_of: namedAccountsSchema.meta({
            description: "With `disable`: the accounts that then have no owner who can sign in.",
          }),
        }),
      )
      .meta({ description: "The users, by id." }),
  })
  .meta({ id: "UsersChange" })

type UsersChange = z.infer<typeof usersChangeSchema>

const REFUSALS = {
  unknown_plan: () => invalid("is not in the setting `plans`", "act.plan"),
  too_short: () => invalid("must be in the future", "act.ends_at"),
  outdated: [
    "PREVIEW_OUTDATED",
    "The act would now do something else than in its preview. Nothing was done. Preview it again.",
  ],
} as const satisfies Refusals

export const CHANGE_USERS_ERRORS = ["PREVIEW_OUTDATED"] as const

function serializeUsersChange({ bulk_id, state, outcomes }: Answers["bulk_answer"]): UsersChange {
  const of = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length
  return {
    bulk_id,
    state,
    changed: of("changed"),
    unchanged: of("unchanged"),
    refused: of("refused"),
    items: outcomes.map(({ user_id, name, email, outcome, refused, ...row }) => {
      const reason = refused as keyof typeof USER_REFUSAL_CODES | null
      return {
        ...{ user_id, name, email, outcome: outcome as (typeof OUTCOMES)[number] },
        ...(reason === null
          ? { code: null, detail: null }
          : { code: USER_REFUSAL_CODES[reason], detail: REASONS[reason] }),
        balance_before_usd: row.balance_before === null ? null : toUsd(row.balance_before),
        balance_after_usd: row.balance_after === null ? null : toUsd(row.balance_after),
        sub_id: bulk_id === null && refused === null ? null : row.sub_id,
        plan: row.plan,
        only_owner_of: row.only_owner_of ?? [],
      }
    }),
  }
}

function actOf(act: Asked["act"]): Records["bulk_act"] {
  const none = { kind: act.kind, reason: null, amount: null, plan: null, ends_at: null }
  if (act.kind === "credit") return { ...none, reason: act.reason, amount: fromUsd(act.amount_usd) }
  if (act.kind === "plan")
    return { ...none, plan: act.plan, ends_at: act.ends_at === null ? null : new Date(act.ends_at) }
  return none
}

/** Says what an act would do to each of many users. Nothing is changed. VALIDATION_FAILED for an unknown plan. */
export const previewUsersChange = (
  ctx: Context,
  credential: SessionCredential,
  { act, user_ids }: Asked,
): Promise<UsersChange> =>
  editAs(ctx, credential, "preview_users_change", {
    args: { act: actOf(act), user_ids },
    refusals: REFUSALS,
    serialize: serializeUsersChange,
  })

/**
 * Acts on many users, once per Idempotency-Key. PREVIEW_OUTDATED if it would do something else than the preview
 * with this state. Sweeps book the credit of plans, and end the turns of disabled accounts, within a minute.
 */
export const changeUsers = (
  ctx: Context,
  credential: SessionCredential,
  change: z.infer<typeof changeUsersSchema>,
  idempotencyKey: string,
): Promise<Made<UsersChange>> =>
  editOnce(ctx, credential, "change_users", {
    once: { key: idempotencyKey, request: { operation: "changeUsers", change } },
    args: {
      bulk_id: newId("bulk", ctx.clock.now()),
      act: actOf(change.act),
      user_ids: change.user_ids,
      state: change.state,
      note: change.note,
    },
    refusals: REFUSALS,
    serialize: serializeUsersChange,
  })
