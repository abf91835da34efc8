import type { Fields } from "../base/fields.ts"
import { AnswerTerms } from "./answer-terms.ts"
import { responseIdIn } from "./response-id.ts"
import { TokenFold } from "./token-fold.ts"

/** The frames of one answer besides its text and calls: how it ended, its tokens, and members that must go back. */
export class Evidence {
  readonly tokens = new TokenFold()
  readonly terms = new AnswerTerms()
  private readonly onResponse: (id: string) => void
  private isNamed = false
  /** The provider's reasons for the end of the answer, in lower case. Some send several. */
  readonly reasons: string[] = []
  /** A frame has reported a failure. */
  hasFailed = false
  /** The stream has announced its end. */
  isDone = false
  /** A frame with nothing but counts came last. Providers send it at the end of an answer. */
  endsWithCounts = false
  /** The text is a refusal. */
  isRefusal = false
  /** The ids of calls without any input. */
  readonly unwritten = new Set<string>()
  /** A call has begun that was not closed. */
  hasOpenCall = false
  /** The body of the request, if the provider refused it. */
  refused: string | undefined
  /** The provider has used tools of its own. */
  hasOwnCalls = false
  /** Members of the message that the provider expects back, by name. */
  readonly carried: Fields = {}
  /** Members of a call that the provider expects back, by the call's id. */
  readonly carriedByCall = new Map<string, Fields>()

  /** `onResponse`: called once, with the provider's id of the answer. */
  constructor(onResponse: (id: string) => void = () => {}) {
    this.onResponse = onResponse
  }

  /** The first id counts. In a stream of chat completions each frame repeats it. */
  nameBy(frame: Fields): void {
    const id = this.isNamed ? null : responseIdIn(frame)
    if (id === null) return
    this.isNamed = true
    this.onResponse(id)
  }

  endsFor(reason: unknown): void {
    if (typeof reason !== "string") return
    // Gemini adds a detail: "content_filter: RECITATION".
    const word = reason.toLowerCase().split(":")[0]?.trim() ?? ""
    if (word !== "" && word !== "null") this.reasons.push(word)
  }

  carryWithCall(id: string, members: Fields): void {
    if (Object.keys(members).length > 0) this.carriedByCall.set(id, { ...this.carriedByCall.get(id), ...members })
  }
}
