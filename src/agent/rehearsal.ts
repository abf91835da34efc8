import { type EngineContext, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { cutToTokens, likelyTokens, promptTokenBound } from "./estimate.ts"

/** What the directives of a turn's text ask for. REHEARSAL.md documents the language. */
interface Script {
  thinkMs: number
  steps: number
  fail: { code: string; times: number } | null
  use: { input?: number; cached?: number; output?: number }
  reply: string | null
  rest: string
}

const KNOWN = "think, steps, use, fail, reply, long"
/** A line has up to 100,000 characters, so both patterns and all below must match in linear time. */
const DIRECTIVE = /^\s*\[(\w+)(?:\s([^\]]*))?\]\s*$/
/** Its text may have brackets of its own. */
const REPLY = /^\s*\[(reply)\s(.*)\]\s*$/
const MAX_THINK_MS = 60_000
const MAX_LONG = 1_000_000

/** Deterministic and without a network: does what the last message's directives say, else repeats it. */
export async function rehearse(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  const script = parseScript(call.messages.at(-1)?.content ?? "")
  if (script.thinkMs > 0) await context.sleep(script.thinkMs, context.signal)
  if (script.fail && call.attempt < script.fail.times) throw failure(script.fail.code)

  const more = call.step + 1 < script.steps
  const whole = more ? `Step ${call.step + 1} of ${script.steps}.` : reply(script, call)
  const output = Math.min(script.use.output ?? likelyTokens(whole), call.maxOutputTokens)
  const cut = likelyTokens(whole) > call.maxOutputTokens
  const prompt = [call.system ?? "", ...call.messages.map((message) => message.content)]
  const tokensInput = script.use.input ?? Math.min(likelyTokens(...prompt), promptTokenBound(call))
  return {
    text: cutToTokens(whole, call.maxOutputTokens),
    finish: cut || (script.use.output ?? 0) > output ? "length" : "stop",
    usage: { tokensInput, tokensCached: Math.min(script.use.cached ?? 0, tokensInput), tokensOutput: output },
    ...(more && { more: true }),
  }
}

function reply(script: Script, call: ModelCall): string {
  if (script.reply !== null) return script.reply
  const earlier = call.messages.length - 1
  const seen = earlier === 0 ? "" : ` (after ${earlier} earlier messages)`
  return `You said: ${script.rest}${seen}`
}

function failure(code: string): ModelError {
  if (code === "MODEL_UNAVAILABLE") return new ModelError("unavailable", "Rehearsed: the model does not answer.")
  if (code === "MODEL_REJECTED") return new ModelError("rejected", "Rehearsed: the provider refuses.")
  return new ModelError("failed", `Rehearsed: the turn fails with ${code}.`, { code })
}

function parseScript(text: string): Script {
  const script: Script = { thinkMs: 0, steps: 1, fail: null, use: {}, reply: null, rest: "" }
  const rest: string[] = []
  for (const line of text.split("\n")) {
    const directive = REPLY.exec(line) ?? DIRECTIVE.exec(line)
    if (!directive) rest.push(line)
    else applyDirective(script, directive[1] as string, (directive[2] ?? "").trim(), line.trim())
  }
  script.rest = rest.join("\n").trim()
  return script
}

function applyDirective(script: Script, name: string, value: string, line: string): void {
  const wrong = (why: string) =>
    new ModelError("failed", `Rehearsal does not understand "${line.slice(0, 80)}": ${why}`, {
      code: "REHEARSAL_SYNTAX",
    })
  const integer = (text: string, max: number) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) > max) throw wrong(`"${text}" is not a whole number up to ${max}.`)
    return Number(text)
  }
  switch (name) {
    case "think":
      script.thinkMs = integer(value.replace(/ ?ms$/, ""), MAX_THINK_MS)
      return
    case "steps":
      script.steps = Math.max(1, integer(value, 100))
      return
    case "long":
      script.reply = "long ".repeat(Math.ceil(integer(value, MAX_LONG) / 5)).slice(0, Number(value))
      return
    case "reply":
      script.reply = value
      return
    case "use":
      for (const pair of value.split(/\s+/)) {
        const match = /^(input|cached|output)=(\d+)$/.exec(pair)
        if (!match) throw wrong("write input=N, cached=N, output=N.")
        script.use[match[1] as "input"] = integer(match[2] as string, 100_000_000)
      }
      return
    case "fail": {
      const match = /^([A-Z][A-Z0-9_]{0,63})(?:\s+times=(\d{1,3}))?$/.exec(value)
      if (!match) throw wrong("write a CODE in capitals, and times=N if only so often.")
      script.fail = { code: match[1] as string, times: match[2] ? Number(match[2]) : Number.POSITIVE_INFINITY }
      return
    }
    default:
      throw wrong(`known are ${KNOWN}.`)
  }
}
