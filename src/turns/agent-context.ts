import type { ModelAccounts } from "../agent/engine.ts"
import type { ToolContext } from "../tools/toolbox.ts"

/** What the worker that runs turns may use beside the rest: models and customers' URLs. */
export interface AgentContext extends ToolContext {
  readonly accounts: ModelAccounts
}
