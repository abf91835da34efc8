import { usageOf } from "../agent/answer-usage.ts"
import { callModel } from "../agent/call-model.ts"
import {
  type FormChange,
  type ModelAccounts,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  type Setting,
} from "../agent/engine.ts"
import { StopCut } from "../agent/stop-cut.ts"
import type { ModelUsage } from "../agent/token-names.ts"
import { reasonOf } from "../base/not-sent.ts"
import { storable } from "../base/storable.ts"
import { learnLimits } from "../catalog/learned.ts"
import { noteError } from "../infrastructure/errors.ts"
import { byteCounter, inspected } from "../platform/inspected.ts"
import { type Loan, MEMORY } from "../platform/memory.ts"
import type { BoundInit } from "../platform/waiting-calls.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { Continuation } from "./continuation.ts"
import { abortWhenSilent, CANCELLED } from "./keep-alive.ts"
import type { AgentWork, Run } from "./run.ts"
import { TIMED_OUT } from "./run-time.ts"
import type { TextStream } from "./stream-text.ts"

/** Keeps the limits that a refusal names, for all later calls of the model. Files are a matter of this run alone. */
function learnFrom({ ctx }: Run, { pin }: AgentWork["model"], change: FormChange): void {
  const { maxOutputTokens, without, images, isOnce } = change
  const learned = {
    ...(maxOutputTokens !== undefined && !isOnce && { max_output_tokens: maxOutputTokens }),
    ...(without !== undefined && !isOnce && { without: [without] }),
    ...(images !== undefined && { images }),
  }
  if (Object.keys(learned).length > 0) learnLimits(ctx, pin, learned)
}

/** A call without a complete answer. */
export interface CutCall {
  /** A ModelError, or the reason of the abort. */
  why: unknown
  /** The text and usage until then; null if nothing had arrived. */
  answer: ModelAnswer | null
  /** True if the account pays for it; otherwise it is our loss. */
  paid: boolean
  /** True if the turn keeps it and continues from its text. */
  isKept: boolean
}

interface CameBack {
  came: ModelAnswer | CutCall
  headers: Headers | null
  barred: boolean
  /** True for a whole answer that only repeats earlier text. */
  isFree: boolean
}

/** Limits the size of a response and of its lines, so that an endless one cannot fill the worker's memory. */
function bounded(response: Response, keep: Keep, lives: () => void): Response {
  const count = byteCounter()
  const most = response.ok ? TURN_POLICY.modelBytes : TURN_POLICY.modelErrorBytes
  return inspected(response, (piece) => {
    const { all, line } = count(piece)
    if (all > most || line > TURN_POLICY.modelLineBytes) throw new Error("the provider's answer is too large")
    keep({ line })
    lives()
  })
}

/** Counts the length of a line, or a text that arrived. Throws if there is no memory for it. */
type Keep = (more: { line?: number; text?: string }) => void

/** Borrows memory for the longest line and the text of an answer. The frames around them are not kept. */
function keepBy(loan: Loan): Keep {
  let [longest, said, lent] = [0, 0, MEMORY.smallBytes]
  return ({ line = 0, text = "" }) => {
    longest = Math.max(longest, line)
    said += text.length
    if (longest + said <= lent) return
    const more = Math.max(longest + said - lent, LEND_BYTES)
    if (!loan.grow(more)) throw new Error("too many large answers are read")
    lent += more
  }
}

const LEND_BYTES = 64 * 1024

export const isCut = (came: ModelAnswer | CutCall): came is CutCall => "why" in came

/**
 * Makes one model call at one account. Silence, the turn's time, the worker's time or a cancel cuts it off. Errors of
 * the call are returned, not thrown. `headers`: of the response, even if it broke off. `barred`: `mayBegin`, which is
 * called right before the request is sent, returned false.
 */
export async function callWithin(
  run: Run,
  {
    agent: { model },
    call,
    stream,
    changes,
    accounts,
    mayBegin = () => true,
  }: {
    agent: AgentWork
    call: ModelCall
    stream: TextStream
    changes: FormChange[]
    accounts: ModelAccounts
    mayBegin?: () => boolean
  },
): Promise<CameBack> {
  const { turnFetch: send, clock, files, meter, memory, requestId } = run.ctx
  // The idle limit starts when the call can be sent.
  await run.ctx.whenFree?.(run.time.signal).catch(() => {})
  const loan = memory.open(MEMORY.shares.answer, requestId, clock)
  const keep = keepBy(loan)
  const silence = abortWhenSilent(clock, model.idle_seconds === null ? TURN_POLICY.idleMs : model.idle_seconds * 1000)
  const continuation = new Continuation(call)
  const stopCut = new StopCut(call.stop ?? [])
  let said = ""
  let streamed = ""
  let hidden = ""
  let counted: Partial<ModelUsage> = {}
  const terms: Pick<ModelAnswer, "modifiers" | "responseId"> = {}
  let headers: Headers | null = null
  let barred = false
  const listening: typeof fetch = async (input, init) => {
    const begin = () => {
      barred = !mayBegin()
      if (barred) throw new Error("The call may not begin any more.")
    }
    begin()
    // A redirect could send the account's key to another server.
    const sent: BoundInit = { ...init, redirect: "manual", afterWait: begin }
    const response = await send(input, sent)
    headers = response.headers
    silence.lives()
    return bounded(response, keep, silence.lives)
  }
  const tell = (told: string) => {
    const text = stopCut.take(told)
    if (text === "") return
    said += text
    stream.onText(text)
  }
  try {
    const came = await run.alive.during(async (ended) => {
      const signal = AbortSignal.any([run.time.signal, ended, silence.signal])
      const context = {
        accounts,
        fetch: listening,
        sleep: clock.sleep,
        signal,
        loadObject: (key: string) => files.read(key),
        refused: run.refusedFiles,
        onRefused({ details, whole: said }: ModelError, change: FormChange) {
          noteError(run.ctx, run.turn, { kind: "model_call", name: model.engine, code: "rejected", details, said })
          changes.push(change)
          learnFrom(run, model, change)
        },
        onLeftOut: (without: Setting) => changes.push({ without }),
        onResponse: (responseId: string) => Object.assign(terms, { responseId }),
        onText(piece: string) {
          silence.heard()
          keep({ text: piece })
          // A result with a form is shown when it is whole and checked.
          if (call.result) {
            hidden += piece
            return
          }
          streamed += piece
          tell(continuation.take(piece))
        },
        onProgress(progress: { hidden?: string; usage?: Partial<ModelUsage>; modifiers?: readonly string[] }) {
          silence.heard()
          keep({ text: progress.hidden ?? "" })
          hidden += progress.hidden ?? ""
          counted = progress.usage ?? counted
          terms.modifiers = progress.modifiers ?? terms.modifiers ?? []
        },
      }
      return meter.measure("model", () =>
        callModel(context, call).catch((error: unknown) => {
          throw signal.aborted ? signal.reason : error
        }),
      )
    })
    tell(continuation.end())
    const rest = stopCut.end()
    if (rest !== "") stream.onText(rest)
    const answer = stopCut.cut(continuation.rest(came))
    return { came: { ...terms, ...answer }, headers, barred, isFree: continuation.onlyRepeats(answer) }
  } catch (error) {
    const why = reasonOf(error)
    const text = storable(said)
    const hasBegun = streamed !== "" || hidden !== "" || counted.tokensInput !== undefined
    const usage = usageOf(call, { counted, said: streamed + hidden })
    const content = text === "" ? [] : [{ type: "text" as const, text }]
    const answer = hasBegun ? { text, content, finish: "aborted" as const, ...usage, ...terms } : null
    // The account pays for text that they can see, and for a call that their own limit or cancel cut off.
    const saysMore = text !== "" && !continuation.repeats(text)
    const paid = saysMore || (hasBegun && (why === TIMED_OUT || why === CANCELLED))
    const isVoid = why instanceof ModelError && why.isVoid
    return { came: { why, answer, paid: paid && !isVoid, isKept: paid }, headers, barred, isFree: false }
  } finally {
    loan.close()
    silence.clear()
  }
}
