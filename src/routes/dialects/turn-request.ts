import type { Context as HonoContext } from "hono"
import { type DialectRequest, END_USER_HEADER } from "../../dialects/send-turn.ts"
import { openTurnText, type TextPiece } from "../../dialects/turn-text.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { textHeader } from "../../http/body-coding.ts"
import { parseIdempotencyKey, REPLAYED } from "../../http/idempotency.ts"
import { RATE_HEADERS } from "../../http/rate-headers.ts"
import { textStream, untilClientLeaves } from "../../http/text-stream.ts"
import type { OwnPushes } from "../../turns/pushes.ts"
import type { TurnRow } from "../../turns/turn-row.ts"

/** The clients of both services count their retries in this header. */
const RETRY_COUNT = "X-Stainless-Retry-Count"

/** The headers of operations that send a turn, for the documentation. `fields`: those that name the end user. */
export const turnHeaders = ({ service, fields }: { service: string; fields: string }) => [
  {
    name: "Idempotency-Key",
    required: false,
    description:
      `A unique value per logical request, of 1–255 printable ASCII characters. Without it, a retry of ${service}'s clients is ` +
      "recognised by its body.",
    example: "order-1001",
  },
  {
    name: END_USER_HEADER,
    required: false,
    description: `Your own id for your end user, ${fields}. Without any, it is the \`default_end_user_ref\` of the key, or its \`key_id\`.`,
    example: "customer-42",
  },
]

export const TURN_ANSWER_HEADERS = { [REPLAYED]: "`true` if an earlier request created the turn.", ...RATE_HEADERS }

/** The errors of the headers. */
export const TURN_HEADER_ERRORS = ["INVALID_ENCODING", "IDEMPOTENCY_KEY_INVALID"] as const

/** The request with the headers that matter for its turn. */
export function dialectRequest<Body extends { stream?: boolean | undefined; background?: boolean | undefined }>(
  c: HonoContext<AppEnv>,
  body: Body,
): DialectRequest<Body> {
  const key = c.req.header("idempotency-key")
  return {
    body,
    idempotencyKey: key === undefined ? null : parseIdempotencyKey(key),
    sentFor: body.stream ? "events" : body.background ? "acceptance" : "end",
    isRetry: Number(c.req.header(RETRY_COUNT) ?? 0) > 0,
    endUserRef: textHeader(c.req.raw.headers, END_USER_HEADER),
  }
}

/** A turn's text as server-sent events, in the form of `write`. With `own`, also null, this request sent the turn. */
export async function answerStream(
  c: HonoContext<AppEnv>,
  { turn, own }: { turn: TurnRow; own?: OwnPushes | null },
  write: (pieces: AsyncGenerator<TextPiece>) => AsyncGenerator<string>,
): Promise<Response> {
  const ctx = c.get("ctx")
  const { signal, onCancel } = untilClientLeaves(c.req.raw.signal)
  const pieces = await openTurnText(ctx, c.get("credential"), { turn, signal, own, wasSent: own !== undefined })
  const replayed = c.res.headers.get(REPLAYED)
  return textStream(
    write(pieces),
    ctx,
    {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
      ...(replayed !== null && { [REPLAYED]: replayed }),
    },
    onCancel,
  )
}
