import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { countReached } from "../base/counted.ts"
import type { Profile } from "../base/profile.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { needsScopeAll } from "./get-end-user.ts"
import type { EndUserProfile } from "./profile-schemas.ts"

export const GET_PROFILE_ERRORS = ["SCOPE_DENIED"] as const
export const DELETE_PROFILE_ERRORS = [...GET_PROFILE_ERRORS] as const
export const PUT_PROFILE_ERRORS = ["SCOPE_DENIED", "LIMIT_REACHED"] as const

/** The profile of an end user; null for a key that cannot access the whole account. */
export async function findProfile(ctx: Context, credential: Credential, ref: string): Promise<EndUserProfile | null> {
  const { row } = await callAs(ctx, credential, "get_profile", { ref })
  return row.answer && serializeProfile(row.answer)
}

/** Reads the profile of an end user. Throws SCOPE_DENIED. */
export async function getProfile(ctx: Context, credential: Credential, ref: string): Promise<EndUserProfile> {
  const profile = await findProfile(ctx, credential, ref)
  if (!profile) throw needsScopeAll("Reading an end user's profile")
  return profile
}

/** Replaces the profile of an end user. Throws SCOPE_DENIED and LIMIT_REACHED. */
export async function putProfile(
  ctx: Context,
  credential: Credential,
  ref: string,
  profile: Profile,
): Promise<EndUserProfile> {
  const { row } = await callAs(ctx, credential, "put_profile", { ref, profile })
  if (row.reached) throw countReached(row.reached)
  if (!row.answer) throw needsScopeAll("Changing an end user's profile")
  return serializeProfile(row.answer)
}

/** Deletes the profile of an end user. Throws SCOPE_DENIED. */
export async function deleteProfile(ctx: Context, credential: Credential, ref: string): Promise<EndUserProfile> {
  const { row } = await callAs(ctx, credential, "put_profile", { ref, profile: null })
  if (!row.answer) throw needsScopeAll("Deleting an end user's profile")
  return serializeProfile(row.answer)
}

function serializeProfile({ end_user_ref, profile, changed_at }: Answers["profile_answer"]): EndUserProfile {
  return { end_user_ref, profile: profile as Profile, changed_at: toInstant(changed_at) }
}
