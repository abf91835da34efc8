import type { ProviderSaid } from "./provider-said.ts"
import { type TooLong, tooLongOf } from "./refusals.ts"

/**
 * Why a provider refused a request. context: the prompt is too long. output: the asked answer is. file, tool, content,
 * parameter: a part of the request. ours: the operator's key, credit or model. other: no known form.
 */
export type RefusalCause = "context" | "output" | "file" | "tool" | "content" | "parameter" | "ours" | "other"

/** A provider's refusal of a request, as far as it is understood. */
export interface ProviderRefusal {
  cause: RefusalCause
  /** Set for the cause `context`. */
  tooLong?: TooLong
  /** The most tokens of an answer, for the cause `output`; null: it names no number. */
  mostOutput?: number | null
  /** True if `mostOutput` is only what the refused prompt leaves of the window. */
  isOfPrompt?: boolean
  /** The most images of a request, for the cause `file`; missing: it names no number. */
  mostImages?: number
  /** The refused parameter; null: none is named. */
  parameter?: string | null
}

const NUMBER = "([\\d,]+)"
const form = (text: string) => new RegExp(text.replaceAll("#", NUMBER), "i")
/** The names that providers give to the limit of an answer. */
const OUTPUT = "(?:max_tokens|max_completion_tokens|max_output_tokens|max_new_tokens|maxOutputTokens|maxTokens)"

/** Refusals of an answer's limit, with the groups of their numbers. Sources: test/agent/refused-requests.ts. */
const TOO_MUCH_OUTPUT: { pattern: RegExp; reads?: "most" | "window" | "exclusive" }[] = [
  // OpenAI
  { pattern: form(`${OUTPUT} is too large.*?supports at most # `), reads: "most" },
  { pattern: form(`${OUTPUT}'?:? integer above maximum value\\. Expected a value <= #`), reads: "most" },
  // Anthropic
  { pattern: form(`${OUTPUT}: [\\d,]+ > #, which is the maximum allowed number of output tokens`), reads: "most" },
  // vLLM: the window, and the tokens of the prompt
  {
    pattern: form(`${OUTPUT}' is too large.*?maximum context length is # tokens and your request has # input tokens`),
    reads: "window",
  },
  // DeepSeek, DashScope
  { pattern: form(`range of ${OUTPUT} (?:is|should be) \\[\\d+, ?#\\]`), reads: "most" },
  // Groq
  { pattern: form(`${OUTPUT}\\W* must be less than or equal to \\W*#`), reads: "most" },
  // Gemini
  {
    pattern: form(`${OUTPUT} value of [\\d,]+ but the supported range is from 1 \\(inclusive\\) to # \\(exclusive`),
    reads: "exclusive",
  },
  // Bedrock
  { pattern: form("maximum tokens you requested exceeds the model limit of #"), reads: "most" },
  // Text Generation Inference, Cohere
  { pattern: form(`${OUTPUT}\\W* must be <= #`), reads: "most" },
  { pattern: form(`${OUTPUT}\\b[^.]{0,60}\\b(?:too large|too high|at most|exceeds?|maximum)\\b`) },
]

/** The operator's account or catalog is the cause. */
const OURS =
  /\b(?:invalid|incorrect|missing|expired|revoked|wrong|no)\b[^.]{0,30}\bapi[-_ ]?key\b|\bapi[-_ ]?key\b[^.]{0,60}\b(?:invalid|not valid|expired|revoked|disabled|required|missing|not found)\b|\b(?:authentication|permission|billing)_error\b|\bunauthorized\b|\bcredit balance\b|\binsufficient (?:credits?|balance|funds|quota)\b|\binsufficient_quota\b|\brequires? more credits\b|\bexceeded your current quota\b|\bbilling\b|\b(?:organization|account|project|workspace)\b[^.]{0,80}\b(?:disabled|suspended|deactivated|banned|verified|restricted)\b|\b(?:not have|no) access to (?:the |this )?model\b|\bmodel_not_found\b|\bmodel_not_available\b|\bmodel\b[^.]{0,90}\b(?:does not exist|not exist|not found|decommissioned|is not available)\b|\bnot a valid model\b|\bmodel identifier is invalid\b|\bno endpoints found (?:for|matching)\b|\blocation is not supported\b|\bunsupported_country\b/i

/** The model or its server takes no tools. */
const TAKES_NO_TOOLS =
  /\bnot support (?:tools?|function calling|tool use)\b|\bsupport tool use\b|\btool_choice\b|\btool choice\b|\btools? (?:is|are) not supported\b/i

const TOOL =
  /\binvalid schema for function\b|\binvalid_function_parameters\b|\binput_schema\b|\bfunction_?declarations?\b|\btools[.[]+\d+\]?[.[]|\btools\[?\d*\]?\.(?:custom|function)\b|\bjson schema (?:is invalid|conversion failed)\b|\btool names? must be\b|\binvalid tool\b|\bfunction name\b|\btools contains?\b/i

const CONTENT =
  /\bcontent_filter\b|\bcontent_policy_violation\b|\bcontent management policy\b|\bcontent filtering policy\b|\bflagged\b|\bmoderation\b|\bdata_?inspection_?failed\b|\binappropriate content\b|\bcontent exists risk\b|\bviolat\w+ (?:our |the |of )?(?:usage |content )?polic|\bprohibited_content\b|\bguardrail\b|\bsafety system\b|\bsensitive (?:content|words?)\b|\bunsafe\b|\bResponsibleAIPolicyViolation\b|不安全或敏感/i

const FILE =
  /\bimages?\b|\bimage_|\bpdf\b|\bdocuments?\b|\bmultimodal\b|\bmedia[-_ ]?type\b|\bmime ?type\b|\bvision\b|\binput_file\b|\bfile_data\b|\bfiles?\b[^.]{0,40}\b(?:large|size|format|type|pages?)\b/i

/** The parameter is the group. */
const PARAMETERS = [
  /unsupported (?:parameter|value):? '?`?"?([\w.]+)/i,
  /(?:unknown|unrecognized|unexpected|invalid) (?:request )?(?:parameter|argument|field|name)s?(?: supplied)?:? ['`"]?([\w.]+)/i,
  /['`"]?\b(temperature|top_p|top_k|seed|stop|presence_penalty|frequency_penalty|reasoning_effort|reasoning|thinking|service_tier|speed|parallel_tool_calls|prompt_cache_key|stream_options|cache_control|system)\b['`"]?[^.]{0,60}\b(?:not supported|does not support|not permitted|deprecated|not allowed|cannot|may only|must be|should be|is allowed|not compatible|unsupported)\b/i,
  /\b([a-z_]+(?:\.[a-z_\d]+)*): extra inputs are not permitted/i,
  /\binvalid ['`"]?(temperature|top_p|top_k|seed|stop)\b/i,
  /does not support (?:the )?(?:parameter )?['`"]?([a-z]+_[a-z_]+|temperature|thinking|reasoning|speed)\b/i,
]

/** Parts of a request that are no parameters. */
const NO_PARAMETER = /^(?:messages?|input|prompt|contents?|tools?|model|system)\b/i

/** Reads why a provider refused a request. Null: it did not refuse it, it is in trouble. */
export function providerRefusalOf(status: number | undefined, said: ProviderSaid): ProviderRefusal | null {
  const tooLong = tooLongOf(status, said.all)
  if (tooLong) return { cause: "context", tooLong }
  if (status === undefined || status < 400 || status === 429 || status >= 500) return null
  if (status === 401 || status === 402) return { cause: "ours" }
  const text = said.all
  const most = outputOf(text)
  if (most) return { cause: "output", ...most, parameter: "max_output_tokens" }
  if (CONTENT.test(text)) return { cause: "content" }
  if (TAKES_NO_TOOLS.test(text)) return { cause: "parameter", parameter: "tools" }
  if (OURS.test(text)) return { cause: "ours" }
  if (TOOL.test(text)) return { cause: "tool" }
  const parameter = parameterOf(said)
  if (parameter !== null) return { cause: "parameter", parameter }
  if (FILE.test(text)) return { cause: "file", ...mostImagesOf(text) }
  if (status === 403 || status === 404) return { cause: "ours" }
  return { cause: "other" }
}

/** True for words about the operator's account, which do not concern an owner. */
export const concernsAccount = ({ all }: ProviderSaid): boolean => OURS.test(all)

/** The most tokens that an answer may have. Null: the refusal is not about the answer. */
function outputOf(text: string): { mostOutput: number | null; isOfPrompt?: boolean } | null {
  for (const { pattern, reads } of TOO_MUCH_OUTPUT) {
    const found = pattern.exec(text)
    if (!found) continue
    const [first, second] = [numberOf(found[1]), numberOf(found[2])]
    if (reads === undefined || first === null) return { mostOutput: null }
    if (reads !== "window") return { mostOutput: reads === "exclusive" ? first - 1 : first }
    return { mostOutput: second === null ? null : Math.max(1, first - second), isOfPrompt: true }
  }
  return null
}

function mostImagesOf(text: string): { mostImages?: number } {
  const found = /\bat most (\d+) image|\bmaximum (?:number )?of (\d+) images?\b|\bup to (\d+) images?\b/i.exec(text)
  const most = found?.slice(1).find((digits) => digits !== undefined)
  return most === undefined ? {} : { mostImages: Number(most) }
}

const numberOf = (digits: string | undefined) => Number((digits ?? "").replace(/\D/g, "")) || null

function parameterOf({ param, all }: ProviderSaid): string | null {
  for (const pattern of PARAMETERS) {
    const named = pattern.exec(all)?.[1]
    if (named && !NO_PARAMETER.test(named)) return named
  }
  return param !== null && /^[a-z_.]{1,40}$/i.test(param) && !NO_PARAMETER.test(param) ? param : null
}

/**
 * The code of a ModelError if the provider says that the account has no credit,
 * and its status does not show it.
 */
export const NO_CREDIT = "insufficient_quota"
