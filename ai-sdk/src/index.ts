export {
  createTurnpike,
  type TurnpikeProvider,
  type TurnpikeProviderOptions,
  turnpike,
} from "./create-turnpike.ts"
export type { TurnpikeCallOptions, TurnpikeSettings } from "./settings.ts"
