import { type AssistantPart, type EngineContext, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { rehearse } from "./rehearsal.ts"
import { callSdk } from "./sdk-engine.ts"
import { storable, storableJson } from "./storable.ts"

/** One call of one engine. Throws ModelError, or the signal's reason when it was aborted. */
export async function callModel(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  try {
    const answer = await (call.engine === "rehearsal" ? rehearse(context, call) : callSdk(context, call, call.engine))
    return { ...answer, text: storable(answer.text), content: storableJson(answer.content) as AssistantPart[] }
  } catch (error) {
    if (error instanceof ModelError) error.message = storable(error.message)
    throw error
  }
}
