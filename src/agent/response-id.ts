import { type Fields, isFields } from "../base/fields.ts"

/** Ids of providers are shorter. A gateway may pack its routing into an id, which no report of a provider names. */
const ID = /^[\x21-\x7e]{1,128}$/

/**
 * The provider's id of an answer: in a chunk or a whole answer (`chatcmpl-…`, `gen-…`), in the response of an event
 * (`resp_…`), or in the message that starts (`msg_…`). Null: the frame has none.
 */
export function responseIdIn({ id, response, message }: Fields): string | null {
  const holder = isFields(response) ? response.id : isFields(message) ? message.id : id
  return typeof holder === "string" && ID.test(holder) ? holder : null
}
