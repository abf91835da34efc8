import { networkOf } from "../base/network.ts"

/**
 * True if a session was started from this address. IPv6 addresses are compared by network, since a
 * browser's address changes daily.
 */
export const isKnownPlace = (address: string | null, before: (string | null)[]) =>
  address !== null && before.some((known) => known !== null && networkOf(known) === networkOf(address))
