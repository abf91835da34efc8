import { type Expression, expressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import { networkOf } from "../base/network.ts"
import type { DB } from "../platform/db-types.ts"

/** How many of the newest sessions say where an owner has signed in before. */
const REMEMBERED_SESSIONS = 200

/** The addresses of a user's newest sessions, without logins that wait for a code: those only knew the password. */
export function sessionPlaces(userId: Expression<number | null>) {
  const eb = expressionBuilder<DB, never>()
  return jsonArrayFrom(
    eb
      .selectFrom("sessions as p")
      .select("p.address")
      .where("p.user_id", "=", userId)
      .where("p.factor_due", "=", false)
      .orderBy("p.session_id", (order) => order.collate("C").desc())
      .limit(REMEMBERED_SESSIONS),
  )
}

/** Whether one of them was started at this address. IPv6 compares the network, since a browser's address changes daily. */
export const isKnownPlace = (address: string | null, before: { address: string | null }[]) =>
  address !== null && before.some(({ address: known }) => known !== null && networkOf(known) === networkOf(address))
