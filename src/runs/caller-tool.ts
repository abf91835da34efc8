import { asDoubles } from "../base/exact-json.ts"
import { storableJson } from "../base/storable.ts"
import { type BoundTool, errorRun } from "../tools/bound-tool.ts"
import { inputFault } from "../tools/input-fault.ts"
import { type CallerTool, specsOfCaller } from "../turns/caller-tools.ts"

/** The tools of a turn's caller. Their calls are not made here: they end the turn. */
export function callerTools({ caller }: { caller: { tools: CallerTool[] } | null }): Map<string, BoundTool> {
  return new Map(
    specsOfCaller(caller?.tools ?? []).map((spec): [string, BoundTool] => {
      const called: BoundTool["called"] = (input) => {
        const fault = inputFault(spec.inputSchema, input)
        return fault === null ? { input: storableJson(asDoubles(input)) as Record<string, unknown> } : { fault }
      }
      return [spec.name, { spec, called, run: async () => errorRun("Only the caller can make this call.") }]
    }),
  )
}
