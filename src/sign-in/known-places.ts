import { networkOf } from "../base/network.ts"

/** Whether one of these sessions' addresses is this one. IPv6 compares the network, since a browser's address changes daily. */
export const isKnownPlace = (address: string | null, before: (string | null)[]) =>
  address !== null && before.some((known) => known !== null && networkOf(known) === networkOf(address))
