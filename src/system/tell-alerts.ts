import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { postToOperator } from "../platform/email-hook.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { type AlertName, pagesOf } from "./check-pages.ts"
import { getHealth } from "./get-health.ts"
import { HEALTH_POLICY } from "./policies.ts"

/** Where alerts are sent. */
export interface AlertTargets {
  /** A URL that receives each alert as JSON. */
  url: string | null
  /** An address that gets an email by the operator's server. */
  email: string | null
}

type Alert = Answers["taken_alert"]

/** True if alerts are sent anywhere. Otherwise nothing is checked. */
export const hasTarget = ({ url, email }: AlertTargets): boolean => url !== null || email !== null

/**
 * Checks the service's health, and tells the operator of each check that has failed for a minute, once, and once of its
 * end. An alert that could not be sent is sent again by the next run; then this returns false. Never throws.
 */
export async function tellAlerts(ctx: Context, targets: AlertTargets, health = () => getHealth(ctx)): Promise<boolean> {
  try {
    const { checks } = await health()
    const now = ctx.clock.now()
    const { take_alerts: taken } = await callOne(ctx.db, "take_alerts", {
      checks: checks.map(({ name, ok, message }) => ({ name, ok, message })),
      since: new Date(now.getTime() - HEALTH_POLICY.alertAfterMs),
      until: new Date(now.getTime() + HEALTH_POLICY.tellingMs),
      moment: now,
    })
    let isTold = true
    for (const alert of taken ?? []) isTold = (await tell(ctx, targets, alert)) && isTold
    return isTold
  } catch (error) {
    ctx.log("error", "alerts.failed", { error: describeError(error) })
    return false
  }
}

/** Returns false if it could not be sent. */
async function tell(ctx: Context, targets: AlertTargets, alert: Alert): Promise<boolean> {
  const { name, message } = alert
  const state = alert.ended_at === null ? "firing" : "resolved"
  ctx.log(state === "firing" ? "error" : "info", `alert.${state}`, { alert: name, message })
  const { page, turns } = pagesOf(name as AlertName, new Date(alert.since))
  const url = ctx.site.origin + page
  const turnsUrl = turns && ctx.site.origin + turns
  const body = { alert: name, state, message, since: alert.since, ended_at: alert.ended_at, url, turns_url: turnsUrl }
  try {
    if (targets.url) await postToOperator(ctx, { url: targets.url, body })
    if (targets.email && ctx.emailHook) {
      const email = { kind: "operator_alert", to: targets.email, brand: ctx.brand, data: body }
      await postToOperator(ctx, { ...ctx.emailHook, body: email })
    }
    await callOne(ctx.db, "note_alert_told", { name, ended: alert.ended_at !== null, moment: ctx.clock.now() })
    return true
  } catch (error) {
    ctx.log("error", "alert.not_sent", { alert: name, error: describeError(error) })
    return false
  }
}
