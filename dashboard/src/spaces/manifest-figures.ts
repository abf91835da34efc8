import { ManifestInputRules } from "../api/rules.ts"
import type { ManifestDraft } from "./manifest-draft.ts"

const RULES = ManifestInputRules
const { temperature } = RULES

/** The numbers of a manifest in its form. `fault`: the name of the field in an error. */
export const FIGURES: [name: keyof ManifestDraft, fault: string, label: string, hint: string][] = [
  [
    "temperature",
    "temperature",
    "Temperature",
    `${temperature.minimum} to ${temperature.maximum}. Default: set by the model.`,
  ],
  ["max_output_tokens", "max_output_tokens", "Max output tokens", "Per model call. Default: the limit of the model."],
  ["max_steps", "max_steps", "Max steps", `Model calls per turn. Default ${RULES.max_steps.default}.`],
  [
    "timeout_seconds",
    "timeout_seconds",
    "Timeout (seconds)",
    `The longest duration of a turn. Default ${RULES.timeout_seconds.default}.`,
  ],
  [
    "history_turns",
    "history.max_turns",
    "Max history turns",
    `Earlier turns that the model sees. Default ${RULES["history.max_turns"].default}.`,
  ],
  ["history_tokens", "history.max_tokens", "Max history tokens", "For all earlier turns together."],
]
