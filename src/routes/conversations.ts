import * as z from "zod"
import type { App } from "../http/app.ts"
import { idParam } from "../http/query.ts"
import { conversationSchema, getConversation } from "../runs/get-conversation.ts"
import { bareQuery, type Mounting } from "./mounting.ts"

/** Conversations, mounted for keys and for a signed-in owner. */
export function mountConversations(app: App, mounting: Mounting) {
  app.operation(
    {
      method: "get",
      path: `${mounting.prefix}/conversations/{conversation_id}`,
      id: "getConversation",
      tag: "Turns",
      summary: "Read a conversation",
      description:
        "The conversation, and the part of it that the agent sees: which turns, which summary, and about how many tokens. See " +
        "[The life of a turn](/docs/turns#conversations).",
      params: z.object({ conversation_id: idParam.meta({ example: "conv_01jd3k9m2x4t8r5w6y7z0a1b2c" }) }),
      query: bareQuery(mounting),
      answer: { status: 200, description: "The conversation.", schema: conversationSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { conversation_id } }) => getConversation(c.get("ctx"), c.get("credential"), conversation_id),
  )
}
