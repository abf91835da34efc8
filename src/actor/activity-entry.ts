import * as z from "zod"
import { MEMBER_ROLES } from "../base/member-roles.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"

const facts = z.record(z.string(), z.unknown()).nullable()

export const activityEntrySchema = z
  .object({
    activity_id: z.int().meta({ description: "Greater for newer entries.", example: 311 }),
    action: z.string().meta({ example: "key.update" }),
    subject_type: z.string().meta({ description: "The type of the changed object.", example: "key" }),
    subject_id: z
      .string()
      .meta({ description: "Its id, slug, name or `end_user_ref`.", example: "key_01j9zq4s0fq4mvt2b9v0000000" }),
    by: z.enum(["owner", "key", "member", "end_user", "operator"]).meta({
      description:
        "The maker of the change: you, an API key, a member of the account or of a shared space, an end user, or an operator.",
      example: "owner",
    }),
    name: z.string().nullable().meta({ description: "The name of the owner, key or member.", example: "Ada" }),
    member_id: z
      .int()
      .nullable()
      .meta({ description: "The user id of a member; null for all other makers.", example: null }),
    role: z.enum(MEMBER_ROLES).nullable().meta({
      description: "The role that a member of the account had then; null for all other makers.",
      example: null,
    }),
    key_id: z.string().nullable().meta({ description: "The key that made the change, if it was one." }),
    before: facts.meta({
      description: "The changed facts before, without secrets. Null for a new object, and for changes of operators.",
      example: { daily_usd: 5 },
    }),
    after: facts.meta({ description: "The facts afterwards, as in `before`.", example: { daily_usd: 20 } }),
    request_id: z.string().nullable().meta({ description: "The request that made the change." }),
    address: z.string().nullable().meta({
      description: "The IP address of your own browser; null for all other makers.",
      example: "203.0.113.9",
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "ActivityEntry" })

export type ActivityEntry = z.infer<typeof activityEntrySchema>

/**
 * The actions whose subject is a user, and that concern all people of the account. All others are sign-ins, factors and
 * passwords of the account's own user, which only that user sees.
 */
export const OF_ACCOUNT = [
  "account.limits",
  "account.budget",
  "account.owner",
  "billing_details.put",
  "trace_endpoint.put",
  "trace_endpoint.remove",
  "user.credit",
]

/** A row of the audit log with its maker. */
export interface EntryRow extends Omit<ActivityEntry, "activity_id" | "member_id" | "role"> {
  audit_id: number
  actor_user_id: number | null
  actor_role: ActivityEntry["role"]
  is_self: boolean | null
}

/** Operators' entries have facts and names that are theirs, so their owners see only what was done. */
export function serializeEntry(row: EntryRow): ActivityEntry {
  const isOperators = row.by === "operator"
  return {
    activity_id: row.audit_id,
    action: row.action,
    subject_type: row.subject_type,
    subject_id: row.subject_id,
    by: row.by,
    name: isOperators ? null : row.name,
    member_id: row.by === "member" ? row.actor_user_id : null,
    role: row.actor_role,
    key_id: row.key_id,
    before: isOperators ? null : factsInUnits(row.before),
    after: isOperators ? null : factsInUnits(row.after),
    request_id: row.request_id,
    address: row.is_self && row.key_id === null ? row.address : null,
    created_at: toInstant(row.created_at),
  }
}

/** Numbers that only the service knows. */
const INTERNAL = new Set(["user_id", "space_id", "price_id", "most_millionths", "ending_turns", "ending_tried_at"])

/** The facts of a change in the units of the API: `daily_credit_micros` is `daily_usd`. */
function factsInUnits(facts: ActivityEntry["before"]): ActivityEntry["before"] {
  if (facts === null) return null
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([name]) => !INTERNAL.has(name))
      .map(([name, value]) => {
        if (name.endsWith("_credit_micros"))
          return [name.replace(/_credit_micros$/, "_usd"), value === null ? null : toUsd(Number(value))]
        if (name.endsWith("_millionths")) return [name.replace(/_millionths$/, ""), Number(value) / 1e6]
        if (name === "per_model" && value) return [name, inUnits(value)]
        return [name, value]
      }),
  )
}

const inUnits = (millionths: object) =>
  Object.fromEntries(Object.entries(millionths).map(([pin, value]) => [pin, Number(value) / 1e6]))
