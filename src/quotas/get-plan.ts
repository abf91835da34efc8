import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { capStateSchema, serializeCapState } from "./cap-state.ts"

export const accountPlanSchema = z
  .object({
    plan: z
      .object({
        plan: z.string().meta({ example: "pro" }),
        label: z.string().meta({ example: "Pro" }),
        trial: z.boolean(),
        starts_at: z.iso.datetime(),
        ends_at: z.iso.datetime().nullable().meta({ description: "Null: it has no end.", example: null }),
      })
      .nullable()
      .meta({ description: "The account's plan. Null: it has none." }),
    daily_cap: capStateSchema
      .nullable()
      .meta({ description: "The plan's daily cap, which binds all turns of the account. Null: no cap." }),
  })
  .meta({ id: "AccountPlan" })

/** Reads the plan of the caller's account, with what is left of its daily cap. */
export async function getPlan(ctx: Context, credential: SessionCredential): Promise<z.infer<typeof accountPlanSchema>> {
  const { row } = await callAs(ctx, credential, "get_plan", {})
  const { plan, label, is_trial, starts_at, ends_at, cap } = row
  return {
    plan:
      plan === null || starts_at === null
        ? null
        : {
            plan,
            // A plan that the operator has removed since then has no label.
            label: label ?? plan,
            trial: is_trial === true,
            starts_at: starts_at.toISOString(),
            ends_at: ends_at?.toISOString() ?? null,
          },
    daily_cap: cap === null ? null : serializeCapState(cap),
  }
}
