import type { TurnValues } from "../agent-config/template.ts"
import type { ToolTurn } from "./task-tools.ts"

/** The values of placeholders in a turn. A web chat has an end user only if the owner of the space chose one. */
export const turnValues = ({
  end_user_ref,
  turn_id,
  conversation_id,
  metadata,
  profile,
}: Pick<ToolTurn, "end_user_ref" | "turn_id" | "conversation_id" | "metadata" | "profile">): TurnValues => ({
  endUserRef: end_user_ref || null,
  turnId: turn_id,
  conversationId: conversation_id,
  metadata,
  profile: profile ?? {},
})
