import type { RefusalCause } from "../../src/agent/refusal-causes.ts"

/** A provider's refusal of a request, in the form in which it was sent. */
export interface RefusedRequest {
  from: string
  /** Where the form was reported. */
  source: string
  status: number
  body: string
  cause: RefusalCause
  /** The most tokens of an answer, if the provider names them. */
  most?: number
  tool?: string
  parameter?: string
  /** A part of the provider's words that customers see. */
  shows?: string
}

/** The forms in which providers and servers send an error. */
export const openAi = (message: string, code: string | null = null, param: string | null = null) =>
  JSON.stringify({ error: { message, type: "invalid_request_error", param, code } })
export const anthropic = (message: string, type = "invalid_request_error") =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011CXKmJsXLyKCAJCQBNzbJZ" })
export const gemini = (message: string, status = "INVALID_ARGUMENT", code = 400) =>
  JSON.stringify({ error: { code, message, status } })
export const vllm = (message: string) =>
  JSON.stringify({ object: "error", message, type: "BadRequestError", param: null, code: 400 })
export const github = (path: string) => `https://github.com/${path}`
