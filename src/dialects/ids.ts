/** Ids of objects of a dialect have the same last part as the id of their turn, so no table relates them. */
export const idFor = (prefix: string, turnId: string) => prefix + turnId.replace(/^turn_/, "")

/** The id of a message of the reply. Only a stream has more than one: it also shows text before tool calls. */
export const messageIdOf = (turnId: string, place = 0) => idFor("msg_", turnId) + (place === 0 ? "" : `_${place}`)
