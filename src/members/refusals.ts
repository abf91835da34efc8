import { roleRequired } from "../actor/actor.ts"
import { TurnpikeError } from "../base/errors.ts"

/** The error of a caller who was an owner at the look-up, and no longer is one under the account's lock. */
export const notAnOwner = () => roleRequired("none", "own")

export const lastOwner = () =>
  new TurnpikeError("LAST_OWNER", "An account needs an owner. Give another person the role `owner` first.")

export const personNotFound = (userId: number) =>
  new TurnpikeError("NOT_FOUND", `The user ${userId} does not belong to this account.`)
