import type { Context } from "../actor/context.ts"
import { storable } from "../base/storable.ts"
import { callOne } from "../platform/db.ts"
import type { MessengerUser } from "./launch-data.ts"
import type { IdentityKey } from "./start-session.ts"

/** A user of ours, as far as a login needs it. */
export interface SignedIn {
  user_id: number
  epoch: number
  disabled: boolean
  /** Whose sign-in it is. */
  identity: IdentityKey
}

/**
 * The user of a brand who is this person on the messaging platform. Their first sign-in makes, in one transaction, the user, wallet and
 * identity, one trial subscription, the signup credit, and the referral of `refCode` with its credit; an unknown code, or one of a
 * disabled user, is ignored. An account that had the identity before gets the same gifts at its first sign-in. Later sign-ins note the use and take over a changed name. After unlinking, the person gets a new user without these gifts.
 */
export async function signInMessenger(
  ctx: Context,
  brand: string,
  person: MessengerUser,
  refCode: string | null,
): Promise<SignedIn> {
  const identity = messengerIdentity(brand, person)
  const name = [...storable(`${person.first_name} ${person.last_name}`).trim()].slice(0, MAX_NAME).join("") || null
  const user = await callOne<"sign_in_messenger", Omit<SignedIn, "identity">>(ctx.db, "sign_in_messenger", {
    ...identity,
    brand,
    name,
    ref_code: refCode,
    moment: ctx.clock.now(),
  })
  return { ...user, identity }
}

/** Who a person of the messaging platform is to a brand. */
export const messengerIdentity = (brand: string, { id }: Pick<MessengerUser, "id">): IdentityKey => ({
  issuer: `messenger:${brand}`,
  subject: id,
})

/** Characters. */
const MAX_NAME = 128
