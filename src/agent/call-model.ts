import { type EngineContext, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { rehearse } from "./rehearsal.ts"
import { callSdk } from "./sdk-engine.ts"

/** One call of one engine. Throws ModelError, or the signal's reason when it was aborted. */
export async function callModel(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  try {
    const answer = await (call.engine === "rehearsal" ? rehearse(context, call) : callSdk(context, call, call.engine))
    return { ...answer, text: storable(answer.text) }
  } catch (error) {
    if (error instanceof ModelError) error.message = storable(error.message)
    throw error
  }
}

/** A model may say what PostgreSQL's text cannot hold (NUL, half a surrogate pair): it must not lose a paid answer. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed()
}
