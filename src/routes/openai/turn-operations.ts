import { SEND_OPEN_AI_TURN_ERRORS } from "../../openai/send-turn.ts"
import { TURN_HEADER_ERRORS, turnHeaders } from "../dialects/turn-request.ts"

export const OPENAI_TAG = "OpenAI"

/** The headers of operations that send a turn, for the documentation. */
export const TURN_HEADERS = turnHeaders({
  service: "OpenAI",
  fields: "for clients that send neither `safety_identifier` nor `user`",
})

/** The errors of operations that send a turn. */
export const TURN_ERRORS = [...SEND_OPEN_AI_TURN_ERRORS, ...TURN_HEADER_ERRORS] as const
