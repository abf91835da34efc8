import type { Context } from "../actor/context.ts"
import { storable } from "../base/storable.ts"
import { callOne } from "../platform/db.ts"
import type { MessengerUser } from "./launch-data.ts"
import type { IdentityKey } from "./start-session.ts"

/** The fields of a user that a login needs. */
export interface SignedIn {
  user_id: number
  epoch: number
  disabled: boolean
  /** The identity that signs in. */
  identity: IdentityKey
}

/**
 * Finds or creates the brand's user for a person on the messaging platform. `refCode` counts only
 * at the first sign-in.
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

/** The identity of a person of the messaging platform at a brand's bot. */
export const messengerIdentity = (brand: string, { id }: Pick<MessengerUser, "id">): IdentityKey => ({
  issuer: `messenger:${brand}`,
  subject: id,
})

/** In characters. */
const MAX_NAME = 128
