import { sniffed } from "../base/media-bytes.ts"
import { MEMORY } from "../platform/memory.ts"
import { createOutbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { Turnstile } from "../platform/turnstile.ts"
import type { CallCredential } from "../providers/refresh.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { ToolContext } from "./tool-context.ts"

const UNAVAILABLE = "Pictures cannot be made at the moment."

/** Why there is no picture, in words for the model: none of the provider's, which may be about the operator's account. */
export class NoPicture extends Error {
  override name = "NoPicture"
  /** One word for operators. */
  readonly code: string
  /** Whether the provider may have made one all the same. */
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

/** One picture of an OpenAI-compatible images endpoint. Throws NoPicture, or the signal's reason. */
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
      // The models "gpt-image-…" answer bytes always, and refuse to be asked for them.
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
    if (error.kind === "timeout") throw new NoPicture("timeout", "The picture was not there in time.", { lost: true })
    if (error.kind === "too_large") throw new NoPicture("too_large", "The picture is too large.", { lost: true })
    // Where a connection breaks, nobody knows how far the request had come.
    throw new NoPicture(error.kind, UNAVAILABLE, { lost: error.kind === "network" })
  }
}

/** A gateway has passed the request on, and got no whole answer: the picture may have been made. */
const CUT = new Set([502, 504, 520, 524])
/** An answer is held several times while its picture is taken out of it: few of an isolate are read at a time. */
const turnstile = new Turnstile({ atOnce: TOOL_POLICY.picturesAtOnce, waiting: TOOL_POLICY.picturesWaiting })

function refusalOf(status: number): NoPicture {
  // What is wrong with the request itself, such as a prompt that its provider does not allow, the model can change.
  if ([400, 413, 422].includes(status)) {
    return new NoPicture(
      "rejected",
      `The request for the picture was refused (HTTP ${status}): change the prompt or the size.`,
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
  // By its first bytes, whatever its server says.
  const mediaType = sniffed(bytes)
  if (!isKept(mediaType)) throw new NoPicture("no_picture", "What was answered is no picture.", { lost: true })
  if (bytes.length > TOOL_POLICY.maxPictureBytes) {
    throw new NoPicture("too_large", "The picture is too large.", { lost: true })
  }
  return { bytes: new Uint8Array(bytes), mediaType }
}

/** The bytes of the first picture of an answer, in base64; empty when there is none. */
function encodedIn(answer: string): string {
  try {
    const { data } = JSON.parse(answer) as { data?: { b64_json?: unknown }[] }
    const encoded = data?.[0]?.b64_json
    return typeof encoded === "string" ? encoded : ""
  } catch {
    return ""
  }
}

/** The types of pictures that are kept. */
const isKept = (type: string | null): type is Picture["mediaType"] =>
  type === "image/png" || type === "image/jpeg" || type === "image/webp"
