import { changedNumber } from "../base/exact-json.ts"
import { ModelError } from "./engine.ts"

interface ScriptedCall {
  name: string
  input: Record<string, unknown>
  /** The JSON of the input, if doubles would change its numbers. */
  written?: string
}

/**
 * The action of one model call: it calls tools, or says something. After the
 * last action, the model replies.
 */
export type Act = { kind: "calls"; calls: ScriptedCall[] } | { kind: "text"; text: string }

/** The directives of a text. REHEARSAL.md documents the language. */
export interface Script {
  acts: Act[]
  thinkMs: number
  streamMs: number
  /** The first model call that fails, its error code, and the number of tries that fail. */
  fail: { from: number; code: string; times: number } | null
  use: { input?: number; cached?: number; output?: number }
  reply: string | null
  rest: string
}

const KNOWN = "call, write, delegate, and, think, stream, steps, use, fail, reply, long"
/** A line has up to 100,000 characters, so all patterns here must match in linear time. */
const DIRECTIVE = /^\s*\[(\w+)(?:\s([^\]]*))?\]\s*$/
/** Directives whose texts or JSON may contain brackets. */
const OPEN_DIRECTIVE = /^\s*\[(reply|call|write|delegate|and)\s(.*)\]\s*$/
const MAX_THINK_MS = 60_000
const MAX_STREAM_MS = 10_000
const MAX_LONG = 1_000_000
const MAX_STEPS = 100

export function parseScript(text: string): Script {
  const script: Script = { acts: [], thinkMs: 0, streamMs: 0, fail: null, use: {}, reply: null, rest: "" }
  const rest: string[] = []
  for (const line of text.split("\n")) {
    const directive = OPEN_DIRECTIVE.exec(line) ?? DIRECTIVE.exec(line)
    if (!directive) rest.push(line)
    else applyDirective(script, directive[1] as string, (directive[2] ?? "").trim(), line.trim())
  }
  script.rest = rest.join("\n").trim()
  return script
}

type Wrong = (why: string) => ModelError

function applyDirective(script: Script, name: string, value: string, line: string): void {
  const wrong: Wrong = (why) =>
    new ModelError("failed", `Rehearsal does not understand "${line.slice(0, 80)}": ${why}`, {
      code: "REHEARSAL_SYNTAX",
    })
  const integer = (text: string, max: number) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) > max) throw wrong(`"${text}" is not a whole number up to ${max}.`)
    return Number(text)
  }
  switch (name) {
    case "call":
    case "write":
    case "delegate":
      script.acts.push({ kind: "calls", calls: [parseCall(name, value, wrong)] })
      return
    case "and": {
      const last = script.acts.at(-1)
      const match = /^(call|write|delegate)\s(.*)$/.exec(value)
      if (!match || last?.kind !== "calls") throw wrong("[and call …] must directly follow a call, write or delegate.")
      last.calls.push(parseCall(match[1] as string, (match[2] as string).trim(), wrong))
      return
    }
    case "think":
      script.thinkMs = integer(value.replace(/ ?ms$/, ""), MAX_THINK_MS)
      return
    case "stream":
      script.streamMs = integer(value.replace(/ ?ms$/, ""), MAX_STREAM_MS)
      return
    case "steps": {
      const steps = Math.max(1, integer(value, MAX_STEPS))
      for (let step = 1; step < steps; step++) script.acts.push({ kind: "text", text: `Step ${step} of ${steps}.` })
      return
    }
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
      if (!match) throw wrong("write a CODE in capitals, and times=N to fail only N times.")
      const times = match[2] ? Number(match[2]) : Number.POSITIVE_INFINITY
      script.fail = { from: script.acts.length, code: match[1] as string, times }
      return
    }
    default:
      throw wrong(`the directives are ${KNOWN}.`)
  }
}

/**
 * Parses `call NAME {json}`, `write NAME TEXT` or `delegate NAME TASK`. In the
 * last two, `\n` is a line break.
 */
function parseCall(kind: string, value: string, wrong: Wrong): ScriptedCall {
  const match = /^(\S+)(?:\s+(.*))?$/.exec(value)
  const name = match?.[1] ?? ""
  const rest = match?.[2] ?? ""
  const lines = rest.replaceAll("\\n", "\n")
  if (name === "") throw wrong(`write [${kind} NAME …].`)
  if (kind === "write") return { name: "write_file", input: { name, content: lines } }
  if (kind === "delegate") return { name: "delegate", input: { agent: name, task: lines } }
  if (rest === "") return { name, input: {} }
  try {
    const input: unknown = JSON.parse(rest)
    if (typeof input === "object" && input !== null && !Array.isArray(input)) {
      return { name, input: { ...input }, ...(changedNumber(rest) && { written: rest }) }
    }
  } catch {
    // Reported below, like every other value that is not an object.
  }
  throw wrong("the text after the tool's name is not a JSON object.")
}
