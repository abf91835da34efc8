import type { EngineContext, ModelCall, ModelError } from "./engine.ts"
import { shownObjects } from "./takes.ts"

/** How a request differs from the usual one, because its provider has refused that. */
export interface RequestForm {
  /** Name the output limit `max_completion_tokens`. */
  namesCompletion: boolean
  /** The keys of objects that are named instead of shown. */
  refused: ReadonlySet<string>
}

/** The servers and models of this isolate that want `max_completion_tokens`. Each isolate learns it by one refusal. */
const wantCompletion = new Set<string>()
const MOST_KNOWN = 1000

const serverOf = ({ accounts }: EngineContext, { engine, model }: ModelCall) =>
  `${engine === "rehearsal" ? "" : accounts[engine]?.baseUrl} ${model}`

/** The form in which a call is sent first. */
export const usualForm = (context: EngineContext, call: ModelCall): RequestForm => ({
  namesCompletion: wantCompletion.has(serverOf(context, call)),
  refused: context.refused ?? new Set(),
})

/**
 * The form in which a refused call is sent once more; null if no other form can help. A refusal costs nothing. Files
 * that a provider refuses are only named from then on, for the rest of the run.
 */
export function otherForm(
  context: EngineContext,
  call: ModelCall,
  { form, error }: { form: RequestForm; error: ModelError },
): RequestForm | null {
  if (error.kind !== "rejected") return null
  if (!form.namesCompletion && call.engine === "openai-compatible" && /max_completion_tokens/.test(error.message)) {
    if (wantCompletion.size >= MOST_KNOWN) wantCompletion.clear()
    wantCompletion.add(serverOf(context, call))
    return { ...form, namesCompletion: true }
  }
  if (!mayConcernFiles(error)) return null
  const shown = [...shownObjects(call.engine, call.messages)].map(({ objectKey }) => objectKey)
  const fresh = shown.filter((key) => !form.refused.has(key))
  return fresh.length > 0 ? { ...form, refused: new Set([...form.refused, ...fresh]) } : null
}

/** False if the provider's words name another part of the request. */
function mayConcernFiles({ status, refusal }: ModelError): boolean {
  if (refusal?.cause === "file") return true
  if (refusal?.cause === "context") return status === 413
  return refusal?.cause === "other" && (status === 400 || status === 413 || status === 415 || status === 422)
}
