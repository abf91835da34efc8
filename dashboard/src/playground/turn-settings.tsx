import type { CreateChatTurn } from "../api/operations.ts"
import { CreateChatTurnRules } from "../api/rules.ts"
import type { Draft } from "../ui/draft.ts"
import { EFFORT_CHOICES, type Effort } from "../ui/efforts.ts"
import { Select, TextInput } from "../ui/field.tsx"

const NOTHING = { output: "", temperature: "", effort: "" as Effort | "" }

/** How the model of a turn answers, as far as the turn says it. `fields`: the controls. */
export function useTurnSettings(draft: Draft) {
  const [typed, setTyped] = draft.useField("settings", NOTHING)
  const { output, temperature, effort } = typed
  const settings: Pick<CreateChatTurn, "max_output_tokens" | "temperature" | "reasoning"> = {
    ...(output.trim() && { max_output_tokens: Number(output) }),
    ...(temperature.trim() && { temperature: Number(temperature) }),
    ...(effort && { reasoning: { effort } }),
  }
  const { minimum, maximum } = CreateChatTurnRules.temperature
  const fields = (error: unknown) => (
    <div className="grid grid-cols-3 gap-3">
      <TextInput
        label="Max output tokens"
        name="max_output_tokens"
        error={error}
        inputMode="numeric"
        placeholder="of the space"
        autoComplete="off"
        value={output}
        onChange={({ target }) => setTyped({ ...typed, output: target.value })}
      />
      <TextInput
        label="Temperature"
        name="temperature"
        error={error}
        inputMode="decimal"
        placeholder={`${minimum} to ${maximum}`}
        autoComplete="off"
        value={temperature}
        onChange={({ target }) => setTyped({ ...typed, temperature: target.value })}
      />
      <Select
        label="Reasoning"
        name="reasoning.effort"
        error={error}
        options={[["", "Space default"], ...EFFORT_CHOICES]}
        value={effort}
        onChange={({ target }) => setTyped({ ...typed, effort: target.value as Effort | "" })}
      />
    </div>
  )
  return { settings, fields }
}
