import type { AccountSetup } from "../api/operations.ts"

export const SETUP_STEPS = ["credit", "try", "key", "turn", "webhook", "tool"] as const
export type SetupStep = (typeof SETUP_STEPS)[number]

/** True for a user who has no space of their own, but may use a shared one. */
export const isMember = ({ own_space, shared_space }: AccountSetup) => own_space === null && shared_space !== null

interface Facts {
  setup: AccountSetup
  /** Undefined in the test data, which costs nothing. */
  availableUsd: number | undefined
}

/** The steps to a working integration in their order, each with whether it is done. */
export function stepsOf({ setup, availableUsd }: Facts): { id: SetupStep; done: boolean }[] {
  const done: Record<SetupStep, boolean | null> = {
    // A done step stays done: credit may be spent on turns, and a key may be revoked after them.
    credit: availableUsd === undefined ? null : availableUsd > 0 || setup.has_done_turn || setup.has_chat_turn,
    try: isMember(setup) ? setup.has_chat_turn : null,
    key: setup.has_key || setup.has_done_turn,
    turn: setup.has_done_turn,
    webhook: setup.webhook === "verified",
    tool: setup.has_tool,
  }
  return SETUP_STEPS.flatMap((id) => (done[id] === null ? [] : [{ id, done: done[id] }]))
}

/** True while the account needs the guide: it is new, and a step other than the tool is open. A tool is optional. */
export const needsGuide = (facts: Facts) =>
  !facts.setup.is_in_use && stepsOf(facts).some(({ id, done }) => !done && id !== "tool")

const KEY = "first-steps-hidden"

/** The users of this browser who have hidden the first steps. This needs the browser's storage. */
function hiddenFor(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]") as string[]
  } catch {
    return []
  }
}

export const isSetupHidden = (userId: number, test: boolean) => hiddenFor().includes(`${userId} ${test}`)

/** Hides the first steps of a user on this browser, or shows them again. */
export function hideSetup(userId: number, test: boolean, hidden: boolean): void {
  const one = `${userId} ${test}`
  const others = hiddenFor().filter((other) => other !== one)
  try {
    localStorage.setItem(KEY, JSON.stringify(hidden ? [...others, one] : others))
  } catch {
    // They stay visible.
  }
}
