import type { ActivityEntry } from "../api/operations.ts"

/** Makers of changes in words. */
export const MAKER_WORDS: Record<ActivityEntry["by"], string> = {
  owner: "Owner",
  key: "API key",
  member: "Member",
  end_user: "End user",
  operator: "Operator",
}
