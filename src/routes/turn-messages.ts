import * as z from "zod"
import type { App } from "../http/app.ts"
import { idParam } from "../http/query.ts"
import { getTurnMessages } from "../turns/get-messages.ts"
import { turnMessagesSchema } from "../turns/messages.ts"
import { MESSAGE_POLICY } from "../turns/policies.ts"
import { bareQuery, type Mounting } from "./mounting.ts"

/** The messages of a turn, mounted for keys and for a signed-in owner. */
export function mountTurnMessages(app: App, mounting: Mounting) {
  app.operation(
    {
      method: "get",
      path: `${mounting.prefix}/turns/{turn_id}/messages`,
      id: "getTurnMessages",
      tag: "Turns",
      summary: "Read the messages of a turn",
      description: `The messages as they were sent, at most ${MESSAGE_POLICY.messages}. The text of a turn is one message. When the texts of the turn are deleted, there is none.`,
      params: z.object({ turn_id: idParam.meta({ example: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c" }) }),
      query: bareQuery(mounting),
      answer: { status: 200, description: "The messages.", schema: turnMessagesSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { turn_id } }) => getTurnMessages(c.get("ctx"), c.get("credential"), turn_id),
  )
}
