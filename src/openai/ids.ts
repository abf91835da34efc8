import { idFor } from "../dialects/ids.ts"

const OF_TURN = /^(?:resp_|msg_|fc_|chatcmpl-)([0-9a-z]{26})(?:_\d+)?$/

export const responseIdOf = (turnId: string) => idFor("resp_", turnId)
export const completionIdOf = (turnId: string) => idFor("chatcmpl-", turnId)

/** The id of the item of a call of the caller's functions. */
export const callItemIdOf = (turnId: string, place: number) => `${idFor("fc_", turnId)}_${place}`

/** The turn of a response, message, call or completion. Any other text stays as it is, and no turn has this id. */
export const turnIdOf = (id: string) => id.replace(OF_TURN, "turn_$1")
