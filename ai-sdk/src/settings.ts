import { InvalidArgumentError, type LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { NewTurn } from "@turnpike-turns/client"

/** How a model sends its turns. `providerOptions.turnpike` of a call has the same fields, and takes precedence. */
export interface TurnpikeSettings {
  /** Your own id for your end user, the `end_user_ref` of the turn. It is required here or in each call. */
  endUser?: string | undefined
  /**
   * The conversation to continue: its id or a name of your choice. Then only the messages after the last reply are
   * sent, because the service knows the others. Default: each call sends the whole chat.
   */
  conversation?: string | undefined
  /** The model as a pin, `engine/model`. Default: the model of the space. */
  model?: string | undefined
  /** The most that the turn can cost, in USD. */
  maxCostUsd?: number | undefined
  /** The time limit of the turn. */
  timeoutSeconds?: number | undefined
  /** False: at most one call of a tool in each answer of the model. */
  parallelToolCalls?: boolean | undefined
  /** False: the texts of the turn are deleted soon after its end. */
  store?: boolean | undefined
  /** Your own key-value pairs. */
  metadata?: Record<string, string> | undefined
}

/** `providerOptions.turnpike` of a call. */
export interface TurnpikeCallOptions extends TurnpikeSettings {
  /**
   * One value for each logical call, such as the id of a message. The same call again, also by another process, then
   * gets the same turns. Each step of the call has a key of its own.
   */
  idempotencyKey?: string | undefined
}

const FIELDS: Record<keyof TurnpikeSettings, keyof NewTurn> = {
  endUser: "end_user_ref",
  conversation: "conversation",
  model: "model",
  maxCostUsd: "max_cost_usd",
  timeoutSeconds: "timeout_seconds",
  parallelToolCalls: "parallel_tool_calls",
  store: "store",
  metadata: "metadata",
}

/** The options of a call. Throws InvalidArgumentError if one is unknown: a mistyped one would have no effect. */
export function optionsOf(
  settings: TurnpikeSettings,
  { providerOptions }: Pick<LanguageModelV4CallOptions, "providerOptions">,
): TurnpikeCallOptions & { endUser: string } {
  const options = { ...settings, ...(providerOptions?.turnpike as TurnpikeCallOptions | undefined) }
  for (const name of Object.keys(options)) {
    if (name in FIELDS || name === "idempotencyKey") continue
    const message = `Turnpike has no option ${JSON.stringify(name)}. Known are ${Object.keys(FIELDS).join(", ")} and idempotencyKey.`
    throw new InvalidArgumentError({ argument: `providerOptions.turnpike.${name}`, message })
  }
  if (options.endUser) return { ...options, endUser: options.endUser }
  const message = "Name the end user: turnpike(space, { endUser }), or providerOptions.turnpike.endUser of the call."
  throw new InvalidArgumentError({ argument: "providerOptions.turnpike.endUser", message })
}

/** The fields of a turn for these options. */
export function fieldsOf(options: TurnpikeSettings): Partial<NewTurn> {
  const names = Object.keys(FIELDS) as (keyof TurnpikeSettings)[]
  return Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [FIELDS[name], options[name]]),
  )
}
