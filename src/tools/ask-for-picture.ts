import { sniffed } from "../base/media-bytes.ts"
import { MEMORY } from "../platform/memory.ts"
import { createOutbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { Turnstile } from "../platform/turnstile.ts"
import type { CallCredential } from "../providers/refresh.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { ToolContext } from "./tool-context.ts"

const UNAVAILABLE = "Pictures cannot be made at the moment."

/**
 * Why there is no picture. The message is for the model. It never quotes the provider, whose text
 * may be about the operator's account.
 */
export class NoPicture extends Error {
  override name = "NoPicture"
  /** A code for operators. */
  readonly code: string
  /** True if the provider may have made the picture anyway. */
  readonly lost: boolean

  constructor(code: string, message = UNAVAILABLE, { lost = false } = {}) {
    super(message)
    this.code = code
    this.lost = lost
  }
}

export interface Picture {
  bytes: Uint8Array<ArrayBuffer>
  mediaType: "image/png" | "image/jpeg" | "image/webp"
}

export interface PictureRequest {
  model: string
  prompt: string
  size: string
}

/** Requests one picture from an OpenAI-compatible images endpoint. Throws NoPicture, or the signal's reason. */
export async function askForPicture(
  ctx: Pick<ToolContext, "turnFetch" | "clock" | "urlPolicy" | "memory" | "requestId">,
  { credential, baseUrl }: { credential: CallCredential; baseUrl: string },
  { model, prompt, size }: PictureRequest,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<Picture> {
  const outbound = createOutbound({
    fetch: ctx.turnFetch,
    clock: ctx.clock,
    policy: { ...ctx.urlPolicy, operators: true },
  })
  try {
    const response = await outbound.send({
      url: `${baseUrl.replace(/\/+$/, "")}/images/generations`,
      method: "POST",
      headers: {
        ...credential.headers,
        "content-type": "application/json",
        accept: "application/json",
        authorization: `Bearer ${credential.secret}`,
        "idempotency-key": key,
      },
      // The "gpt-image-…" models always return bytes, and reject the parameter response_format.
      body: JSON.stringify({
        model,
        prompt,
        size,
        n: 1,
        ...(!model.startsWith("gpt-image") && { response_format: "b64_json" }),
      }),
      timeoutMs: TOOL_POLICY.pictureTimeoutMs,
      maxBytes: TOOL_POLICY.maxPictureAnswerBytes,
      signal,
    })
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {})
      throw refusalOf(response.status)
    }
    const read = async () => {
      const [share, most] = [MEMORY.shares.picture, TOOL_POLICY.maxPictureAnswerBytes]
      const loan = await ctx.memory.borrow(share, ctx.requestId, ctx.clock, most, signal)
      if (!loan) throw new NoPicture("busy", UNAVAILABLE, { lost: true })
      try {
        return pictureIn(new TextDecoder().decode(await response.arrayBuffer()))
      } finally {
        loan.close()
      }
    }
    return await turnstile.pass(read, () => new NoPicture("busy", UNAVAILABLE, { lost: true }))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof OutboundError)) throw error
    if (error.kind === "timeout") throw new NoPicture("timeout", "The picture did not arrive in time.", { lost: true })
    if (error.kind === "too_large") throw new NoPicture("too_large", "The picture is too large.", { lost: true })
    // After a broken connection the request may or may not have been served.
    throw new NoPicture(error.kind, UNAVAILABLE, { lost: error.kind === "network" })
  }
}

/** A gateway forwarded the request and got no complete answer, so the picture may have been made. */
const CUT = new Set([502, 504, 520, 524])
/** Decoding a picture holds several copies of its answer in memory, so an isolate decodes few at a time. */
const turnstile = new Turnstile({ atOnce: TOOL_POLICY.picturesAtOnce, waiting: TOOL_POLICY.picturesWaiting })

function refusalOf(status: number): NoPicture {
  // The model can correct the request itself, for example a prompt that the provider does not allow.
  if ([400, 413, 422].includes(status)) {
    return new NoPicture(
      "rejected",
      `The provider rejected the request for the picture (HTTP ${status}). Change the prompt or the size.`,
    )
  }
  if (status === 401) return new NoPicture("unauthorized")
  const lost = CUT.has(status)
  return status === 429 || status >= 500
    ? new NoPicture("unavailable", UNAVAILABLE, { lost })
    : new NoPicture("rejected")
}

function pictureIn(answer: string): Picture {
  const bytes = Buffer.from(encodedIn(answer), "base64")
  // The type comes from the first bytes, not from the server's header.
  const mediaType = sniffed(bytes)
  if (!isKept(mediaType)) throw new NoPicture("no_picture", "The answer has no picture.", { lost: true })
  if (bytes.length > TOOL_POLICY.maxPictureBytes) {
    throw new NoPicture("too_large", "The picture is too large.", { lost: true })
  }
  return { bytes: new Uint8Array(bytes), mediaType }
}

/** The first picture of an answer as base64; empty if there is no picture. */
function encodedIn(answer: string): string {
  try {
    const { data } = JSON.parse(answer) as { data?: { b64_json?: unknown }[] }
    const encoded = data?.[0]?.b64_json
    return typeof encoded === "string" ? encoded : ""
  } catch {
    return ""
  }
}

/** The media types of pictures that the service stores. */
const isKept = (type: string | null): type is Picture["mediaType"] =>
  type === "image/png" || type === "image/jpeg" || type === "image/webp"
