import { useRef, useState } from "react"
import type { KnownKey } from "../api/operations.ts"
import { send } from "../api/send.ts"
import { choicesOf } from "../api/words.ts"
import { Select } from "../ui/field.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { Time } from "../ui/values.tsx"

type Decision = "revoke" | "rotate" | "overlap" | "keep"

const OVERLAP_SECONDS = 3600

const DECISIONS = choicesOf<Decision>({
  revoke: "Revoke: requests with it fail at once",
  rotate: "Rotate: only a new value works from now on",
  overlap: "Rotate: the old value works for 1 more hour",
  keep: "Keep: the person still knows the value",
})

/** The person knows only an old value, which works since a rotation with an overlap. */
const FORMER_DECISIONS = choicesOf<Extract<Decision, "revoke" | "keep">>({
  revoke: "End the old value: requests with it fail at once",
  keep: "Keep the old value until its overlap ends",
})

/** Rotates a key, and shows its new value until it is saved. */
async function rotateWithin(key_id: string, overlap_seconds: number): Promise<void> {
  const { name, value } = await send("rotateKey", { path: { key_id }, body: { overlap_seconds } })
  showOnce({ secret: value, title: `The key ${name} has a new value` })
}

/** The decisions about the keys of a person who loses rights. A key without a decision is revoked. */
export function useKeyDecisions() {
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision>>>({})
  const done = useRef(new Set<string>())
  const rotated = useRef(new Set<string>())
  return {
    of: (keyId: string): Decision => decisions[keyId] ?? "revoke",
    set: (keyId: string, decision: Decision) => setDecisions((old) => ({ ...old, [keyId]: decision })),
    /** Rotates and keeps keys. The change of the person ends the other values. After an error, it continues. */
    async carryOut(keys: readonly KnownKey[], person: number): Promise<void> {
      for (const { key_id } of keys) {
        const decision = decisions[key_id] ?? "revoke"
        if (decision === "revoke" || done.current.has(key_id)) continue
        if (decision !== "keep" && !rotated.current.has(key_id)) {
          await rotateWithin(key_id, decision === "overlap" ? OVERLAP_SECONDS : 0)
          rotated.current.add(key_id)
        }
        // The change of the person would end the old value of an overlap too.
        if (decision !== "rotate") await send("keepKey", { path: { key_id }, query: { user_id: person } })
        done.current.add(key_id)
      }
    },
  }
}

interface DecisionsProps {
  keys: readonly KnownKey[]
  decisions: ReturnType<typeof useKeyDecisions>
}

export const KeyDecisions = ({ keys, decisions }: DecisionsProps) => (
  <>
    {keys.map(({ key_id, name, hint, last_used_at, known_value }) => (
      <Select
        key={key_id}
        label={`Key ${name} (${hint})`}
        hint={
          last_used_at ? (
            <>
              Last used <Time at={last_used_at} />
            </>
          ) : (
            "Never used"
          )
        }
        value={decisions.of(key_id)}
        options={known_value === "former" ? FORMER_DECISIONS : DECISIONS}
        onChange={({ target }) => decisions.set(key_id, target.value as Decision)}
      />
    ))}
  </>
)
