import { choicesOf } from "../api/words.ts"
import type { Role } from "../ui/rights.ts"

/** The roles as choices. */
export const ROLE_CHOICES = choicesOf<Role>({
  owner: "Owner",
  developer: "Developer",
  billing: "Billing",
  read_only: "Read only",
})

export const ROLE_LABELS = Object.fromEntries(ROLE_CHOICES) as Record<Role, string>

/** The rights of each role. */
export const ROLE_ABOUT: Record<Role, string> = {
  owner: "Everything, also people, transfer and erasure.",
  developer: "Spaces, tools, keys, webhooks and turns. No prices, wallets and limits.",
  billing: "Prices, wallets, caps and limits. Reads everything else except secrets.",
  read_only: "Reads everything except secrets.",
}
