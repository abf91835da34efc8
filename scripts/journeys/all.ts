import { conflict, endedSession, passwordReset, secondFactor } from "./corners.ts"
import { firstSteps, firstTurn } from "./first-turn.ts"
import type { Journey } from "./journey.ts"
import { audit, catalog, credit, dashboards, newUser } from "./operator.ts"
import { endUser, tool, webhook } from "./owner.ts"
import { poolLogins } from "./providers.ts"

/** In their order: the newcomer of the last ones is made by those before. */
export const JOURNEYS: Journey[] = [
  firstTurn,
  tool,
  webhook,
  endUser,
  newUser,
  credit,
  catalog,
  poolLogins,
  dashboards,
  audit,
  firstSteps,
  secondFactor,
  endedSession,
  conflict,
  passwordReset,
]
