import { isUsualTier } from "./answer-terms.ts"
import {
  type EngineContext,
  type Message,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  outputText,
  type ToolCallPart,
  textOf,
} from "./engine.ts"
import { cutToTokens, likelyTokens, promptTokenBound } from "./estimate.ts"
import { parseScript, type Script } from "./rehearsal-script.ts"
import { sampleOf } from "./sample-value.ts"

/** The most characters of a tool's answer that the default reply repeats. */
const SHOWN_OF_RESULT = 500

/**
 * Answers without a network, always in the same way: carries out the directives in the
 * turn's text, or repeats the text.
 */
export async function rehearse(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  const asked = call.messages.findLastIndex((message) => message.role === "user")
  const question = call.messages[asked]
  const since = call.messages.slice(asked + 1)
  // Attached files and notes of the service are no directives.
  const content = question?.role === "user" ? question.content : []
  const parts = content.filter((part) => part.type !== "text" || !part.isNote)
  const own = parts.flatMap((part) => (part.type === "text" && !part.byService ? [part.text] : []))
  const script = parseScript(own.join("\n\n"))
  const answers = since.filter((message) => message.role === "assistant")
  const step = answers.filter(({ asks }) => !asks).length
  // A continued answer starts after the part that was already said.
  const said = answers
    .slice(answers.findLastIndex(({ asks }) => !asks) + 1)
    .map(textOf)
    .join("")

  if (script.thinkMs > 0) await context.sleep(script.thinkMs, context.signal)
  if (script.fail && step >= script.fail.from && call.attempt < script.fail.times) throw failure(script.fail.code)

  const act = script.acts[step]
  const usage = (output: number) => usageOf(script, call, output)
  const served = servedAs(call)
  if (act?.kind === "calls") {
    const calls = act.calls.map(({ name, input, written }, index): ToolCallPart => {
      return {
        type: "tool-call",
        toolCallId: `call_${step}_${index}`,
        toolName: name,
        input,
        ...(written && { written }),
      }
    })
    const tokens = likelyTokens(JSON.stringify(act.calls))
    // A model that is cut off within a call has made no call.
    if (tokens > call.maxOutputTokens) {
      return { text: "", content: [], finish: "length", usage: usage(call.maxOutputTokens), ...served }
    }
    return { text: "", content: calls, finish: "tool-calls", usage: usage(tokens), ...served }
  }
  const all =
    act?.text ??
    (call.result && script.reply === null
      ? JSON.stringify(sampleOf(call.result.schema))
      : reply(script, { earlier: asked, files: parts.length - own.length, since }))
  const whole = all.startsWith(said) ? all.slice(said.length) : all
  const text = cutToTokens(whole, call.maxOutputTokens)
  const { tokensInput, tokensCached } = usage(0)
  context.onProgress?.({ usage: { tokensInput, tokensCached } })
  await say(context, script, text)
  const wanted = likelyTokens(whole)
  const cut = wanted > call.maxOutputTokens || (script.use.output ?? 0) > call.maxOutputTokens
  return {
    text,
    content: [{ type: "text", text }],
    finish: cut ? "length" : act ? "more" : "stop",
    usage: usage(wanted),
    ...served,
  }
}

/** A rehearsal is served in the tier that it asks for. */
const servedAs = ({ serviceTier }: ModelCall) =>
  serviceTier !== undefined && !isUsualTier(serviceTier) ? { modifiers: [serviceTier] } : {}

function usageOf(script: Script, call: ModelCall, output: number): ModelAnswer["usage"] {
  const prompt = [call.system ?? "", ...call.messages.map(textOf)]
  const tokensInput = script.use.input ?? Math.min(likelyTokens(...prompt), promptTokenBound(call))
  return {
    tokensInput,
    tokensCached: Math.min(script.use.cached ?? 0, tokensInput),
    tokensOutput: Math.min(script.use.output ?? output, call.maxOutputTokens),
  }
}

/** Sends the text word by word if the script streams, otherwise at once. */
async function say(context: EngineContext, script: Script, text: string): Promise<void> {
  if (script.streamMs === 0) return context.onText(text)
  for (const word of text.match(/\s*\S+\s*/g) ?? []) {
    await context.sleep(script.streamMs, context.signal)
    context.onText(word)
  }
}

function reply(
  script: Script,
  { earlier, files, since }: { earlier: number; files: number; since: Message[] },
): string {
  if (script.reply !== null) return script.reply
  const results = since.flatMap((message) => (message.role === "tool" ? message.content : []))
  const lines = results.map(({ toolName, output }) => {
    const verb = output.type === "error" ? "failed" : "answered"
    return `${toolName} ${verb}: ${outputText(output).slice(0, SHOWN_OF_RESULT).toWellFormed()}`
  })
  const seen = earlier === 0 ? "" : ` (after ${earlier} earlier messages)`
  const shown = files <= 0 ? "" : ` (with ${files} file${files === 1 ? "" : "s"})`
  const said = script.rest === "" && lines.length > 0 ? [] : [`You said: ${script.rest}${seen}${shown}`]
  return [...said, ...lines].join("\n")
}

function failure(code: string): ModelError {
  if (code === "MODEL_UNAVAILABLE") return new ModelError("unavailable", "Rehearsed: the model does not answer.")
  if (code === "MODEL_REJECTED") return new ModelError("rejected", "Rehearsed: the provider refuses.")
  return new ModelError("failed", `Rehearsed: the turn fails with ${code}.`, { code })
}
