/** Ids of OpenAI's objects have the same last part as the id of their turn, so no table relates them. */
const OF_TURN = /^(?:resp_|msg_|fc_|chatcmpl-)([0-9a-z]{26})(?:_\d+)?$/

const idFor = (prefix: string, turnId: string) => prefix + turnId.replace(/^turn_/, "")

export const responseIdOf = (turnId: string) => idFor("resp_", turnId)
export const completionIdOf = (turnId: string) => idFor("chatcmpl-", turnId)

/** The id of a message of the reply. Only a stream has more than one: it also shows text before tool calls. */
export const messageIdOf = (turnId: string, place = 0) => idFor("msg_", turnId) + (place === 0 ? "" : `_${place}`)

/** The id of the item of a call of the caller's functions. */
export const callItemIdOf = (turnId: string, place: number) => `${idFor("fc_", turnId)}_${place}`

/** The turn of a response, message, call or completion. Any other text stays as it is, and no turn has this id. */
export const turnIdOf = (id: string) => id.replace(OF_TURN, "turn_$1")
