import type { Turn } from "../api/operations.ts"
import { decimal } from "../ui/numbers.ts"

export const TURN_TABS = ["steps", "bill", "files", "deliveries", "conversation", "events"] as const
export type TurnTab = (typeof TURN_TABS)[number]

/** True if the turn has not ended. */
export const isOpenTurn = (state: Turn["state"]) => state === "queued" || state === "running"

/** Shown instead of a text that a turn does not have. */
export const noTextOf = ({ texts_deleted_at }: Pick<Turn, "texts_deleted_at">) =>
  texts_deleted_at ? `(no longer kept since ${texts_deleted_at.slice(0, 10)})` : "(no text)"

/** Formats the size of a file. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${decimal(bytes / 1024)} KiB`
  return `${decimal(bytes / 1024 / 1024)} MiB`
}
