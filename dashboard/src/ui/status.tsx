import { wordsOf } from "../api/code-words.ts"
import { Icon, type IconName } from "./icon.tsx"

type Tone = "ok" | "warn" | "bad" | "info" | "none"

const LOOKS: Record<Tone, [icon: IconName, look: string]> = {
  ok: ["check", "bg-ok-soft text-ok"],
  warn: ["warning", "bg-warn-soft text-warn"],
  bad: ["error", "bg-bad-soft text-bad"],
  info: ["running", "bg-info-soft text-info"],
  none: ["dot", "bg-hover text-muted"],
}

/** The tone of each state in docs/contract.md. */
const TONES: Record<string, Tone> = {
  done: "ok",
  delivered: "ok",
  active: "ok",
  enabled: "ok",
  ok: "ok",
  confirmed: "ok",
  healthy: "ok",
  running: "info",
  pending: "info",
  delivering: "info",
  queued: "none",
  paused: "warn",
  cooling: "warn",
  failed: "bad",
  gave_up: "bad",
  expired: "bad",
  error: "bad",
  exhausted: "bad",
  denied: "bad",
}

/** A state with an icon. Pass `tone` for words that are not in docs/contract.md. */
export function Status({ word, tone = TONES[word] ?? "none" }: { word: string; tone?: Tone }) {
  const [icon, look] = LOOKS[tone]
  return (
    <span
      className={`inline-flex h-6 items-center gap-1 rounded-md pr-2 pl-1 align-middle text-xs whitespace-nowrap ${look}`}
    >
      <Icon name={icon} />
      {wordsOf(word)}
    </span>
  )
}
