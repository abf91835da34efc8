import type { EngineContext, ModelAnswer, ModelCall } from "./engine.ts"
import { rehearse } from "./rehearsal.ts"
import { callSdk } from "./sdk-engine.ts"

/** One call of one engine. Throws ModelError, or the signal's reason when it was aborted. */
export function callModel(context: EngineContext, call: ModelCall): Promise<ModelAnswer> {
  return call.engine === "rehearsal" ? rehearse(context, call) : callSdk(context, call, call.engine)
}
