import { plainJson } from "../base/plain-json.ts"

/** A server-sent event with a name, as in streamed responses. */
export const sseEvent = (type: string, data: object) => `event: ${type}\n${sseData(data)}`

/** A server-sent event without a name, as in streamed chat completions. */
export const sseData = (data: object) => `data: ${plainJson(data)}\n\n`

export const sseComment = (text: string) => `: ${text}\n\n`
