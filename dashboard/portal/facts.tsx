/** @jsxImportSource preact */
import { useState } from "preact/hooks"
import type { PortalFact } from "../../src/portal/answers.ts"
import { hasEnded, type PortalApi, PortalError } from "./api.ts"
import { say } from "./texts.ts"
import { Section } from "./values.tsx"

/** `time_zone` as a label. */
const labelOf = (key: string) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll(/[_.-]+/g, " ")

/** A changed value keeps the type of the earlier one. An empty field deletes the fact. */
function factOf(earlier: PortalFact["value"], text: string): PortalFact["value"] {
  if (text.trim() === "") return null
  return typeof earlier === "number" && Number.isFinite(Number(text)) ? Number(text) : text
}

type Said = "saved" | "notSaved" | "wrongValue"

/** The facts of the end user's profile that the owner lets them change. */
export function Facts({ of: shown, api }: { of: PortalFact[]; api: PortalApi }) {
  // The reader keeps the typed values when the page reads its figures again.
  const [known, setKnown] = useState(shown)
  const [typed, setTyped] = useState<Record<string, PortalFact["value"]>>({})
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState<Said | null>(null)
  const type = (key: string, value: PortalFact["value"]) => {
    setSaid(null)
    setTyped({ ...typed, [key]: value })
  }
  const save = async () => {
    if (busy || api.preview) return
    setBusy(true)
    try {
      const facts = known.flatMap(({ key, value }) => {
        const now = typed[key]
        return now === undefined ? [] : [[key, typeof now === "string" ? factOf(value, now) : now] as const]
      })
      const answer = await api.change(Object.fromEntries(facts))
      setKnown(answer.facts)
      setTyped({})
      setSaid("saved")
    } catch (error) {
      const isWrong = error instanceof PortalError && error.code === "VALIDATION_FAILED"
      if (!hasEnded(error)) setSaid(isWrong ? "wrongValue" : "notSaved")
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title="details">
      <form
        class="details"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {known.map(({ key, value }) => (
          <div key={key} class={typeof value === "boolean" ? "check" : ""}>
            <label for={`fact-${key}`}>{labelOf(key)}</label>
            {typeof value === "boolean" ? (
              <input
                id={`fact-${key}`}
                type="checkbox"
                name={key}
                checked={Boolean(typed[key] ?? value)}
                onChange={({ currentTarget }) => type(key, currentTarget.checked)}
              />
            ) : (
              <input
                id={`fact-${key}`}
                name={key}
                autocomplete="off"
                inputMode={typeof value === "number" ? "decimal" : "text"}
                value={String(typed[key] ?? value ?? "")}
                onInput={({ currentTarget }) => type(key, currentTarget.value)}
              />
            )}
          </div>
        ))}
        {api.preview && <p class="muted">{say("previewKeeps")}</p>}
        <p role="status" class={said === null ? "hidden" : said === "saved" ? "ok" : "warn"}>
          {said === null ? "" : say(said)}
        </p>
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={api.preview || busy}>
            {say(busy ? "saving" : "save")}
          </button>
        </div>
      </form>
    </Section>
  )
}
