import type { TurnValues } from "../agent-config/template.ts"
import type { ToolTurn } from "./task-tools.ts"

/** The values of placeholders in a turn. A web chat has no end user: its person is a member of the space. */
export const turnValues = ({
  key_id,
  end_user_ref,
  turn_id,
  conversation_id,
  metadata,
  profile,
}: Pick<ToolTurn, "key_id" | "end_user_ref" | "turn_id" | "conversation_id" | "metadata" | "profile">): TurnValues => ({
  endUserRef: key_id === null ? null : end_user_ref,
  turnId: turn_id,
  conversationId: conversation_id,
  metadata,
  profile: profile ?? {},
})
