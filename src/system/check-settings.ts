import { type RawBuilder, sql } from "kysely"
import { LETTERS } from "../platform/letters.ts"
import { SETTING_NAMES, wrongSettings } from "../platform/session-settings.ts"

interface SessionFacts {
  settings: Record<string, string>
  folded: string
}

/** The facts on which all answers of this session depend, as one column. */
export const sessionFacts: RawBuilder<SessionFacts> = sql`jsonb_build_object(
  'settings', (select jsonb_object_agg(n.name, current_setting(n.name)) from unnest(${SETTING_NAMES}::text[]) n(name)),
  'folded', folded(${LETTERS.given}::text))`

/** The health check of these facts. Its value is the number of faults. */
export function settingsCheck({ settings, folded }: SessionFacts) {
  const faults = wrongSettings(settings)
  if (folded !== LETTERS.folded) faults.push(`letters are folded to ${folded} instead of ${LETTERS.folded}`)
  const message = faults.length === 0 ? "The settings of the database are right." : `Wrong: ${faults.join("; ")}.`
  return { name: "settings" as const, ok: faults.length === 0, value: faults.length, limit: 0, message }
}
