import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { likelyPromptTokens } from "../agent/estimate.ts"
import { resultFormOf } from "../agent-config/response-format.ts"
import { attachmentsIn, saidInTurn } from "../dialects/plain-messages.ts"
import { getSpace } from "../spaces/get-space.ts"
import { type CallerTool, specsOfCaller } from "../turns/caller-tools.ts"
import { instructionsIn, type TurnMessage, toModelMessages } from "../turns/messages.ts"
import { messagesOf } from "./content.ts"
import { type CountTokens, messageFormatOf } from "./request-fields.ts"
import { turnTools } from "./tool-fields.ts"

export const tokenCountSchema = z
  .object({ input_tokens: z.int().meta({ description: "An estimate: one token for four bytes.", example: 172 }) })
  .meta({ id: "MessageTokenCount" })

export const COUNT_MESSAGE_TOKENS_ERRORS = ["NOT_FOUND"] as const

/**
 * The usual estimate of a prompt: the instructions and REST tools of the space, and what the request adds. Creates no
 * turn. Throws NOT_FOUND or VALIDATION_FAILED.
 */
export async function countMessageTokens(
  ctx: Context,
  credential: Credential,
  body: CountTokens,
): Promise<z.input<typeof tokenCountSchema>> {
  const { manifest, tools } = await getSpace(ctx, credential, body.model)
  const plain = messagesOf(body)
  const said = saidInTurn(
    plain,
    attachmentsIn(plain).map(() => "file"),
    "messages",
  )
  const messages: TurnMessage[] = "text" in said ? [{ role: "user", content: said.text }] : said.messages
  const own = Object.entries(tools).map(
    ([name, { description, input_schema }]): CallerTool => ({ name, description, input_schema }),
  )
  const form = resultFormOf(messageFormatOf(body))
  const input_tokens = likelyPromptTokens({
    engine: "rehearsal",
    system: [manifest.instructions ?? "", instructionsIn(messages)].join("\n\n").trim(),
    messages: toModelMessages(messages, () => []),
    tools: specsOfCaller([...own, ...(turnTools(body).tools ?? [])]),
    ...(form && { result: form }),
  })
  return { input_tokens }
}
