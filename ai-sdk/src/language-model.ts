import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from "@ai-sdk/provider"
import { type NewTurn, type RunOptions, type Turn, Turnpike, type TurnpikeOptions } from "@turnpike-turns/client"
import { callsOf, endOf, hasAnswer, metadataOf, StreamedText } from "./answer.ts"
import { type AskedTurn, askTurn } from "./ask-turn.ts"
import { digestOf } from "./digest.ts"
import { callErrorOf, turnError, waitingError } from "./errors.ts"
import type { FailedCalls } from "./failed-calls.ts"
import type { TurnpikeSettings } from "./settings.ts"

/** What the models of a provider share. */
export interface ModelConfig {
  client: TurnpikeOptions
  failed: FailedCalls
}

interface Sent extends Pick<RunOptions, "signal" | "onEvent"> {
  headers: LanguageModelV4CallOptions["headers"] | undefined
}

/** A space as a language model: each call is a turn. */
export class TurnpikeLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "turnpike"
  /** The service loads files at public URLs itself. */
  readonly supportedUrls = { "*/*": [/^https?:\/\//] }
  readonly modelId: string
  readonly #settings: TurnpikeSettings
  readonly #config: ModelConfig

  constructor(space: string, settings: TurnpikeSettings, config: ModelConfig) {
    this.modelId = space
    this.#settings = settings
    this.#config = config
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const asked = await askTurn(this.modelId, this.#settings, options)
    const turn = await this.#send(asked, { headers: options.headers, signal: options.abortSignal })
    if (!hasAnswer(turn)) throw turnError(turn, this.#request(asked.body))
    const text: LanguageModelV4Content[] = turn.result ? [{ type: "text", text: turn.result }] : []
    return {
      content: [...text, ...callsOf(turn, asked.prompt)],
      ...endOf(turn),
      request: { body: asked.body },
      response: metadataOf(turn),
      warnings: asked.warnings,
    }
  }

  /** The stream opens with the first event, so an error before it can be retried. */
  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const asked = await askTurn(this.modelId, this.#settings, options)
    const { readable, writable } = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>()
    const writer = writable.getWriter()
    const left = new AbortController()
    // A reader who leaves ends the turn as an abort does.
    writer.closed.catch((reason) => left.abort(reason))
    const signals = [left.signal, ...(options.abortSignal ? [options.abortSignal] : [])]
    const text = new StreamedText((part) => writer.write(part))
    const opened = Promise.withResolvers<void>()
    const ended = this.#send(asked, {
      headers: options.headers,
      signal: AbortSignal.any(signals),
      onEvent: async (event) => {
        opened.resolve()
        await text.read(event)
      },
    })
    const start = writer.write({ type: "stream-start", warnings: asked.warnings })
    const written = start
      .then(() => ended)
      .then((turn) => this.#writeEnd(turn, asked, { writer, text }))
      .catch((error) => (APICallError.isInstance(error) ? writer.write({ type: "error", error }) : writer.abort(error)))
      .then(() => writer.close())
    // The reader has left.
    written.catch(() => {})
    await Promise.race([opened.promise, ended])
    return { stream: readable, request: { body: asked.body } }
  }

  async #writeEnd(
    turn: Turn,
    { body, prompt }: AskedTurn,
    { writer, text }: { writer: WritableStreamDefaultWriter<LanguageModelV4StreamPart>; text: StreamedText },
  ): Promise<void> {
    await writer.write({ type: "response-metadata", ...metadataOf(turn) })
    await text.finish(turn.result ?? "")
    for (const call of callsOf(turn, prompt)) {
      const { toolCallId: id, toolName, input } = call
      await writer.write({ type: "tool-input-start", id, toolName })
      await writer.write({ type: "tool-input-delta", id, delta: input })
      await writer.write({ type: "tool-input-end", id })
      await writer.write(call)
    }
    if (!hasAnswer(turn)) await writer.write({ type: "error", error: turnError(turn, this.#request(body)) })
    await writer.write({ type: "finish", ...endOf(turn) })
  }

  /** Sends the turn and waits for its end. */
  async #send(asked: AskedTurn, sent: Sent): Promise<Turn> {
    try {
      return await this.#run(asked.body, asked, sent)
    } catch (error) {
      // Calls are open once: a chat whose last answer is generated again has used them.
      const isUsed = APICallError.isInstance(error) && (error.data as { code?: string }).code === "CALLS_NOT_OPEN"
      if (asked.otherwise === null || !isUsed) throw error
      return await this.#run(asked.otherwise, asked, sent)
    }
  }

  async #run(body: NewTurn, asked: AskedTurn, { headers, ...following }: Sent): Promise<Turn> {
    const { client, failed } = this.#config
    const digest = await digestOf(body)
    const given = asked.idempotencyKey === undefined ? failed.take(digest) : `${asked.idempotencyKey}.${digest}`
    const idempotencyKey = given ?? crypto.randomUUID()
    const request = this.#request(body)
    try {
      return await new Turnpike({ ...client, fetch: fetchWith(client.fetch, headers) }).turns.run(body, {
        ...following,
        idempotencyKey,
        cancelOnAbort: true,
        onWaiting: (turn) => {
          throw waitingError(turn, request)
        },
      })
    } catch (cause) {
      const error = callErrorOf(cause, request)
      if (APICallError.isInstance(error) && error.isRetryable) failed.put(digest, idempotencyKey)
      throw error
    }
  }

  #request = (body: NewTurn) => ({ url: `${this.#config.client.baseUrl ?? ""}/v1/turns`, requestBodyValues: body })
}

/** Requests with the headers of a call, such as `traceparent`. Those of the client take precedence. */
function fetchWith(
  fetch: TurnpikeOptions["fetch"] = (url, init) => globalThis.fetch(url, init),
  headers: LanguageModelV4CallOptions["headers"] = {},
): TurnpikeOptions["fetch"] {
  const more = Object.entries(headers).filter(([, value]) => value !== undefined)
  const all = Object.fromEntries(more.map(([name, value]) => [name.toLowerCase(), value as string]))
  return (url, init) => fetch(url, { ...init, headers: { ...all, ...(init.headers as Record<string, string>) } })
}
