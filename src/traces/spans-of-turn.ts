import { toUsd } from "../base/money.ts"
import type { SpanPart } from "../base/trace-context.ts"
import { meantCall } from "../turns/meant-call.ts"
import { type EndedTrace, isToolCall, type LoggedEvent, type TracedDelivery, type TracedStep } from "./ended-trace.ts"
import { type Attributes, SPAN_KIND, type TurnSpan } from "./span.ts"
import { inputMessages, outputMessages, textOfOutput } from "./span-texts.ts"

/** The words of OpenTelemetry for the reasons why an answer ended. Other reasons are the same. */
const FINISH: Record<string, string> = {
  "tool-calls": "tool_call",
  refused: "content_filter",
  filtered: "content_filter",
}

/**
 * The spans of an ended turn, by OpenTelemetry's conventions for generative AI: the agents, their model calls and tool
 * calls, and the deliveries of webhooks. `shows`: who sees them; the operator sees no reference of an end user.
 */
export function spansOfTurn(trace: EndedTrace, shows: { account: boolean }): TurnSpan[] {
  const chats = callsOf(trace, "step").map((call) => chatSpan(trace, call))
  const tools = callsOf(trace, "tool").map((call) => toolSpan(trace, call))
  const agents = agentSpans(trace, chats, tools)
  return [turnSpan(trace, shows), ...agents, ...chats, ...tools, ...trace.deliveries.map(deliverySpan)]
}

/** A model call or a tool call, from the events of its start and its end. */
interface LoggedCall {
  data: Record<string, unknown>
  /** False: it was cut off by the end of the turn or the loss of its worker. */
  hasEnded: boolean
  startMs: number
  endMs: number
}

const keyOf = ({ data }: LoggedEvent) => `${data.step} ${data.call ?? ""}`

function callsOf({ turn, events }: EndedTrace, of: "step" | "tool"): LoggedCall[] {
  const byKey = (type: string) =>
    new Map(events.flatMap((event) => (event.type === type ? [[keyOf(event), event] as const] : [])))
  const [begun, ended] = [byKey(`${of}.started`), byKey(`${of}.ended`)]
  return [...new Set([...begun.keys(), ...ended.keys()])].map((key) => {
    const [first, last] = [begun.get(key), ended.get(key)]
    const data = { ...first?.data, ...last?.data }
    const endMs = Date.parse(last?.created_at ?? (turn.finished_at as string))
    const lasted = typeof data.duration_ms === "number" ? data.duration_ms : null
    const startMs = lasted !== null ? endMs - lasted : first ? Date.parse(first.created_at) : endMs
    return { data, hasEnded: last !== undefined, startMs: Math.min(startMs, endMs), endMs }
  })
}

const UNFINISHED = { type: "unfinished", message: null }

/** The agent that makes a call: the turn's own, or the sub-agent that works for the call `delegated_by`. */
const agentOf = ({ delegated_by: ref }: Record<string, unknown>): SpanPart =>
  typeof ref === "string" ? `agent ${ref}` : "turn"

function turnSpan({ turn, slug, title, attempts, steps }: EndedTrace, { account }: { account: boolean }): TurnSpan {
  const failed = turn.state === "failed"
  const startMs = Date.parse(turn.created_at)
  return {
    part: "turn",
    parent: null,
    name: `invoke_agent ${title}`,
    kind: SPAN_KIND.internal,
    startMs,
    endMs: Date.parse(turn.finished_at as string),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      ...modelOf(turn.model),
      "gen_ai.agent.id": slug,
      // The version of the configuration with which the turn started.
      "gen_ai.agent.version": turn.config_version === null ? null : String(turn.config_version),
      "gen_ai.agent.name": title,
      "gen_ai.conversation.id": turn.conversation_id,
      "gen_ai.usage.input_tokens": turn.tokens_input,
      "gen_ai.usage.cache_read.input_tokens": turn.tokens_cached,
      "gen_ai.usage.cache_write.input_tokens": turn.tokens_cache_written,
      "gen_ai.usage.output_tokens": turn.tokens_output,
      "gen_ai.usage.reasoning.output_tokens": turn.tokens_reasoning,
      "turnpike.turn.id": turn.turn_id,
      "turnpike.turn.state": turn.state,
      "turnpike.turn.status_reason": turn.status_reason,
      "turnpike.turn.test": turn.test,
      "turnpike.turn.billed_usd": { double: toUsd(turn.billed_credit_micros) },
      "turnpike.turn.queued_ms": turn.started_at === null ? null : Math.max(0, Date.parse(turn.started_at) - startMs),
      ...(account ? { "user.id": turn.end_user_ref } : { "turnpike.account.id": turn.user_id }),
      ...(steps && {
        "gen_ai.input.messages": inputMessages(turn.text),
        "gen_ai.output.messages": turn.result === null ? null : outputMessages(turn.result),
      }),
    },
    error: failed ? { type: turn.error_code ?? "FAILED", message: turn.error_message } : null,
    events: attempts.map(({ kind, code, created_at }) => ({
      name: `turnpike.${kind}.failed`,
      atMs: Date.parse(created_at),
      attributes: { "error.type": code },
    })),
  }
}

/** `engine/model`, as a pin names it. */
function modelOf(pin: string): Attributes {
  const [engine = pin, ...name] = pin.split("/")
  return { "gen_ai.provider.name": engine, "gen_ai.request.model": name.join("/") }
}

function chatSpan({ turn, costs, steps }: EndedTrace, { data, hasEnded, startMs, endMs }: LoggedCall): TurnSpan {
  const step = data.step as number
  const finish = typeof data.finish === "string" ? data.finish : null
  const model = modelOf(typeof data.model === "string" ? data.model : turn.model)
  const failed = finish === "error" || finish === "aborted"
  const shown = steps?.find((one) => one.step === step)
  const cost = costs.find((one) => one.step === step)
  const temperature = numberIn(data.temperature)
  return {
    part: `chat ${step}`,
    parent: agentOf(data),
    name: `chat ${model["gen_ai.request.model"]}`,
    kind: SPAN_KIND.client,
    startMs,
    endMs,
    attributes: {
      "gen_ai.operation.name": "chat",
      ...model,
      "gen_ai.conversation.id": turn.conversation_id,
      "gen_ai.response.finish_reasons": finish === null ? null : [FINISH[finish] ?? finish],
      "gen_ai.usage.input_tokens": numberIn(data.tokens_input),
      "gen_ai.usage.cache_read.input_tokens": numberIn(data.tokens_cached),
      "gen_ai.usage.cache_write.input_tokens": cost?.tokens_cache_written,
      "gen_ai.usage.output_tokens": numberIn(data.tokens_output),
      "gen_ai.usage.reasoning.output_tokens": numberIn(data.tokens_reasoning),
      "gen_ai.request.max_tokens": numberIn(data.max_output_tokens),
      "gen_ai.request.temperature": temperature === null ? null : { double: temperature },
      "turnpike.request.reasoning_effort": typeof data.reasoning === "string" ? data.reasoning : null,
      "turnpike.request.service_tier": typeof data.service_tier === "string" ? data.service_tier : null,
      "turnpike.step": step,
      "turnpike.call.billed_usd": cost && { double: toUsd(cost.billed_credit_micros) },
      ...(shown && {
        "gen_ai.output.messages": outputMessages(shown.text, shown.content, finish && (FINISH[finish] ?? finish)),
      }),
    },
    error: hasEnded ? (failed ? { type: finish, message: null } : null) : UNFINISHED,
    events: [],
  }
}

const numberIn = (value: unknown) => (typeof value === "number" ? value : null)

function toolSpan({ turn, steps }: EndedTrace, { data, hasEnded, startMs, endMs }: LoggedCall): TurnSpan {
  const { step, call } = data as { step: number; call: number }
  const name = String(data.name ?? "unknown")
  const shown = steps && textsOfCall(steps, step, call)
  const failed = data.ok === false
  return {
    part: `tool ${step}.${call}`,
    parent: agentOf(data),
    name: `execute_tool ${name}`,
    kind: SPAN_KIND.internal,
    startMs,
    endMs,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      // The Idempotency-Key that the called server gets.
      "gen_ai.tool.call.id": `${turn.turn_id}.${step}.${call}`,
      "gen_ai.tool.type": "function",
      // `server__tool`: a tool of an MCP server.
      "mcp.method.name": name.includes("__") ? "tools/call" : null,
      "turnpike.step": step,
      ...shown,
    },
    error: hasEnded ? (failed ? { type: "tool_error", message: errorOf(data, steps) } : null) : UNFINISHED,
    events: [],
  }
}

/** The error of a tool can repeat its answer, so it is a text. */
const errorOf = ({ error }: Record<string, unknown>, steps: TracedStep[] | null) =>
  steps && typeof error === "string" ? error : null

function textsOfCall(steps: readonly TracedStep[], step: number, call: number): Attributes {
  const row = steps.find((one) => one.step === step)
  const made = row?.content.filter(isToolCall)[call]
  const output = row?.results[call]
  return {
    "gen_ai.tool.call.arguments": made && textOfOutput(meantCall(made.toolName, made.input).input),
    "gen_ai.tool.call.result": output && textOfOutput(output.value),
  }
}

/** Each sub-agent works within the call that delegated to it. */
function agentSpans({ turn, events }: EndedTrace, chats: TurnSpan[], tools: TurnSpan[]): TurnSpan[] {
  const named = events.flatMap(({ data }) =>
    typeof data.delegated_by === "string" ? [[data.delegated_by, data] as const] : [],
  )
  return [...new Map(named)].map(([ref, data]) => {
    const part: SpanPart = `agent ${ref}`
    const own = chats.filter(({ parent }) => parent === part)
    const call = tools.find((tool) => tool.part === `tool ${ref}`)
    const within = call ? [call] : own
    const name = String(data.agent ?? "agent")
    const sum = (attribute: string) =>
      own.reduce((total, { attributes }) => total + (numberIn(attributes[attribute]) ?? 0), 0)
    return {
      part,
      parent: call?.part ?? "turn",
      name: `invoke_agent ${name}`,
      kind: SPAN_KIND.internal,
      startMs: Math.min(...within.map(({ startMs }) => startMs)),
      endMs: Math.max(...within.map(({ endMs }) => endMs)),
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name":
          own[0]?.attributes["gen_ai.provider.name"] ?? modelOf(turn.model)["gen_ai.provider.name"],
        "gen_ai.request.model": own[0]?.attributes["gen_ai.request.model"],
        "gen_ai.agent.name": name,
        "gen_ai.conversation.id": turn.conversation_id,
        "gen_ai.usage.input_tokens": sum("gen_ai.usage.input_tokens"),
        "gen_ai.usage.cache_read.input_tokens": sum("gen_ai.usage.cache_read.input_tokens"),
        "gen_ai.usage.cache_write.input_tokens": sum("gen_ai.usage.cache_write.input_tokens"),
        "gen_ai.usage.output_tokens": sum("gen_ai.usage.output_tokens"),
      },
      error: call?.error ?? null,
      events: [],
    }
  })
}

function deliverySpan(delivery: TracedDelivery): TurnSpan {
  const { delivery_id, webhook_id, type, state, attempts, status, started_at, ended_at } = delivery
  const startMs = Date.parse(started_at)
  return {
    part: `delivery ${delivery_id}`,
    parent: "turn",
    name: `POST ${type}`,
    kind: SPAN_KIND.client,
    startMs,
    endMs: Math.max(startMs, Date.parse(ended_at)),
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": status,
      "http.request.resend_count": attempts > 1 ? attempts - 1 : null,
      "turnpike.event.type": type,
      "turnpike.delivery.id": delivery_id,
      "turnpike.webhook.id": webhook_id,
      "turnpike.delivery.state": state,
    },
    error: state === "delivered" ? null : { type: status === null ? "no_response" : String(status), message: null },
    events: [],
  }
}
