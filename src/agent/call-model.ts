import { nestsTooDeep, storable, storableJson } from "../base/storable.ts"
import { type AssistantPart, type EngineContext, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { rehearse } from "./rehearsal.ts"
import { callSdk } from "./sdk-engine.ts"

/** Makes one model call. Throws ModelError, or the signal's reason if it was aborted. */
export async function callModel(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  try {
    const answer = await (call.engine === "rehearsal" ? rehearse(context, call) : callSdk(context, call, call.engine))
    const content = storableJson(answer.content.map(shallow)) as AssistantPart[]
    return { ...answer, text: storable(answer.text), content }
  } catch (error) {
    if (error instanceof ModelError) error.message = storable(error.message)
    throw error
  }
}

/** Marks a tool call as invalid if its input cannot be stored. */
function shallow(part: AssistantPart): AssistantPart {
  if (part.type !== "tool-call" || !nestsTooDeep(part.input)) return part
  return { ...part, input: {}, invalid: "The input is nested too deeply." }
}
