import * as z from "zod"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { PROFILE_MOST, profileValues } from "../base/profile.ts"
import type { PortalFact } from "./answers.ts"
import { asEndUser, checkSession, requireScope, shownFacts } from "./read-portal.ts"
import { type Portal, portalRefused } from "./session.ts"

const value = z.union([z.string().max(PROFILE_MOST.bytes), z.number(), z.boolean()])

/** The new facts by key. A fact that is left out stays, and null deletes it. */
export const changeFactsSchema = z.strictObject({ facts: z.record(z.string(), value.nullable()) })

/**
 * The end user changes facts of their profile. SCOPE_DENIED in a preview, VALIDATION_FAILED for a fact that the owner
 * does not let them change, or that no profile may have.
 */
export async function changeFacts(
  ctx: Context,
  portal: Portal,
  { facts }: z.output<typeof changeFactsSchema>,
): Promise<PortalFact[]> {
  requireScope(portal, "profile")
  if (portal.preview) throw new TurnpikeError("SCOPE_DENIED", "A preview changes nothing.")
  const { profileKeys, ref, since, credential } = portal
  const foreign = Object.keys(facts).find((key) => !profileKeys.includes(key))
  if (foreign !== undefined) throw invalid(foreign, "is no fact that you can change")
  const values = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== null && fact !== ""))
  const { error } = profileValues.safeParse(values)
  if (error) throw invalid(String(error.issues[0]?.path[0] ?? Object.keys(values)[0]), error.issues[0]?.message ?? "")
  await checkSession(ctx, portal)
  const { row } = await asEndUser(
    callAs(ctx, credential, "change_own_profile", {
      ref,
      since,
      keys: Object.keys(facts),
      values,
      most: PROFILE_MOST,
    }),
  )
  switch (row.outcome) {
    case "changed":
      return shownFacts(profileKeys, (row.answer?.profile ?? {}) as Record<string, PortalFact["value"]>)
    case "large":
      throw invalid(Object.keys(values)[0] ?? "", `makes the profile larger than ${PROFILE_MOST.bytes} bytes`)
    case "reached":
      throw new TurnpikeError("LIMIT_REACHED", "No further profile can be stored.")
    case "denied":
      throw new TurnpikeError("SCOPE_DENIED", "The key of this session cannot change profiles any more.")
  }
  throw portalRefused()
}

const invalid = (key: string, message: string) =>
  new TurnpikeError("VALIDATION_FAILED", `facts.${key} ${message}.`, { param: `facts.${key}` })
