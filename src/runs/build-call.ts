import type { Context } from "../actor/context.ts"
import { callsOf, type Message, type ModelCall, type ObjectPart, type TextPart } from "../agent/engine.ts"
import { cutToBytes, promptTokenBound } from "../agent/estimate.ts"
import { charsetOf, decoderOf } from "../base/media-bytes.ts"
import { storable } from "../base/storable.ts"
import { affordableOutput, type Price, worstPriceOf } from "../billing/price.ts"
import { isText } from "../files/media-types.ts"
import { objectPart } from "../tools/file-tools.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { StepRow } from "../turns/step-row.ts"
import type { AttachedFile, Claim } from "./claim-turns.ts"
import { growHold } from "./grow-hold.ts"
import { cacheOf } from "./prompt-cache.ts"
import type { AgentWork, Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"

/** The next model call of an agent, before its output is bounded by the hold. `opening`: the beginning of its transcript. */
export function buildCall(run: Run, agent: AgentWork, opening: Message[]): ModelCall {
  const { model, system, specs, steps, maxOutputTokens } = agent
  const { temperature } = run.claim.config.manifest
  const said = steps.map(stepMessages)
  return {
    engine: model.engine,
    model: model.model,
    ...(system && { system }),
    ...(temperature !== undefined && { temperature }),
    messages: [...opening, ...said.flat()],
    tools: specs,
    maxOutputTokens: Math.min(maxOutputTokens ?? model.max_output_tokens, model.max_output_tokens),
    cache: cacheOf(run, agent, { opening: opening.length, steps: said.map(({ length }) => length) }),
    attempt: run.turn.model_failures,
  }
}

function stepMessages({ content, results, finish }: StepRow): Message[] {
  if (finish === "aborted") return content.length > 0 ? [{ role: "assistant", content, cut: true }] : []
  const calls = callsOf(content)
  const answers = calls.map(({ toolCallId, toolName }, index) => {
    return { toolCallId, toolName, output: results[index] ?? { type: "error" as const, value: "No answer." } }
  })
  return [{ role: "assistant", content }, ...(answers.length > 0 ? [{ role: "tool" as const, content: answers }] : [])]
}

/** Earlier turns and this one's text with its files, for the space's own agent. */
export async function turnOpening(ctx: Context, { history, turn, files }: Claim): Promise<Message[]> {
  const earlier = history.flatMap(({ text, result }): Message[] => [
    { role: "user", content: [{ type: "text", text }] },
    { role: "assistant", content: [{ type: "text", text: result }] },
  ])
  const attached = await Promise.all(files.map((file) => attachedPart(ctx, file)))
  return [...earlier, { role: "user", content: [...attached, { type: "text", text: turn.text }] }]
}

/** A text as it is, up to a limit; other bytes as an object, which the engine loads if its provider takes the type. */
async function attachedPart(ctx: Context, file: AttachedFile): Promise<TextPart | ObjectPart> {
  const { file_id, name, media_type, bytes } = file
  const about = `File ${name} (${file_id}, ${media_type}, ${bytes} bytes)`
  if (!isText(media_type)) {
    if (bytes <= TURN_POLICY.attachedObjectBytes) return objectPart(file)
    return { type: "text", text: `[${about}: too large to be shown.]` }
  }
  const limit = TURN_POLICY.attachedTextBytes
  const range = { offset: 0, length: Math.min(bytes, limit) }
  const read = bytes === 0 ? new Uint8Array() : await ctx.files.read(file.object_key, { range })
  if (!read) return { type: "text", text: `[${about}: not there any more.]` }
  // Admission has counted the file's bytes: text of another charset that has more in UTF-8 is cut to as many.
  const most = Math.min(bytes, limit)
  const whole = readable(read, media_type)
  const cut = cutToBytes(whole, most)
  const isPart = bytes > limit || cut.length < whole.length
  return { type: "text", text: `${about}${isPart ? `, its first ${most} bytes` : ""}:\n${storable(cut)}\n` }
}

/** Bytes as text. In UTF-8 it has at most as many bytes, as admission counts them: an invalid byte becomes "?", one byte. */
function readable(bytes: Uint8Array, mediaType: string): string {
  const text = decoderOf(charsetOf(bytes, mediaType)).decode(bytes)
  return text.includes("\uFFFD") ? text.replaceAll("\uFFFD", "?") : text
}

export interface BoundedCall {
  call: ModelCall
  /** True when the hold, not the configuration, limits the output. */
  cutByHold: boolean
  /** What is set aside for it, in credit micros. */
  worst: number
  /** Gives back what was set aside for the call. */
  release(): void
}

/**
 * Bounds a call so that its worst case fits into what the hold has left beside running calls, and sets that aside. Grows the hold when
 * it is too small. Ends the run when the epoch is stale, or when not even a short answer can be paid for.
 */
export async function boundCall(run: Run, price: Price, call: ModelCall): Promise<BoundedCall> {
  const prompt = promptTokenBound(call)
  const wanted = call.maxOutputTokens
  const affordable = () => affordableOutput(price, prompt, Math.max(0, run.budget.left))
  if (affordable() < wanted) {
    const grown = await growHold(
      run.ctx,
      { ...run.turn, hold_credit_micros: run.budget.hold },
      worstPriceOf(price, prompt, wanted) - run.budget.left,
    )
    if (grown === null) throw new RunEnd({ kind: "stale" })
    run.budget.hold = Math.max(run.budget.hold, grown.hold)
    run.budget.boundBy = grown.boundBy
  }
  const least = Math.min(wanted, TURN_POLICY.minOutputTokens)
  // A sub-agent that runs beside this one may give back a part of what was set aside for it.
  while (affordable() < least && run.budget.isReserved) await run.budget.freed()
  const output = Math.min(wanted, affordable())
  if (output < least || (output === 0 && wanted > 0)) throw run.limit("COST_LIMIT_REACHED")
  const worst = worstPriceOf(price, prompt, output)
  return {
    call: { ...call, maxOutputTokens: output },
    cutByHold: output < wanted,
    worst,
    release: run.budget.reserve(worst),
  }
}
