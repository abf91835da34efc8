import { FORMAT_POLICY } from "../agent-config/policies.ts"
import { asDoubles, parseExact } from "../base/exact-json.ts"
import { isFields } from "../base/fields.ts"
import type { ResultForm } from "../base/result-form.ts"
import { valueFault } from "../tools/check-schema.ts"
import { answerText, isAnswer, type StepRow } from "../turns/step-row.ts"

/** A result may take more work than the input of a call: it can be long, and there is only one. */
const TIMES = 10
/** The finishes of an answer that is checked. All others are faults of their own. */
const CHECKED: ReadonlySet<StepRow["finish"]> = new Set(["stop", "other", "length"])

/** The JSON of an answer that has the form, or what is wrong with it. */
export type CheckedResult = { text: string; fault: null } | { text: string; fault: string }

const known = new WeakMap<StepRow, CheckedResult>()

/** Checks the answer that the last of an agent's steps ends with; null if that step is no answer to check. */
export function checkedResult(form: ResultForm, steps: readonly StepRow[]): CheckedResult | null {
  const last = steps.at(-1)
  if (!last || !isAnswer(last, steps.at(-2)) || !CHECKED.has(last.finish)) return null
  const before = known.get(last)
  if (before) return before
  const checked = check(form, steps, last)
  known.set(last, checked)
  return checked
}

function check(form: ResultForm, steps: readonly StepRow[], last: StepRow): CheckedResult {
  const whole = answerText(steps)
  if (last.finish === "length") return { text: whole, fault: "The answer was cut off at its output limit." }
  // A model that continues an answer often writes it again from its beginning.
  const [first, other] = [whole, last.text].map((text) => fitted(form, text)) as [CheckedResult, CheckedResult]
  return first.fault !== null && other.fault === null ? other : first
}

function fitted(form: ResultForm, said: string): CheckedResult {
  const text = withoutFence(said)
  let value: unknown
  try {
    value = parseExact(text)
  } catch (error) {
    return { text: said, fault: `The answer is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
  if (form.type === "json_object") {
    return isFields(value) ? { text, fault: null } : { text: said, fault: "The answer must be a JSON object." }
  }
  try {
    const fault = valueFault(form.schema, asDoubles(value), { mostRefs: FORMAT_POLICY.refs, times: TIMES })
    return fault === null ? { text, fault } : { text: said, fault: `The answer does not fit the schema: ${fault}` }
  } catch (error) {
    return {
      text: said,
      fault: `The answer cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** Some models write JSON as a block of Markdown. */
function withoutFence(said: string): string {
  const text = said.trim()
  return /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1]?.trim() ?? text
}

/** The words with which the model is asked to correct an answer. */
export const repairText = (form: ResultForm, fault: string): string => {
  const schema = form.type === "json_object" ? "" : `\nThe JSON Schema is ${JSON.stringify(form.schema)}`
  return `${fault}\nAnswer again, only with the whole corrected JSON.${schema}`
}
