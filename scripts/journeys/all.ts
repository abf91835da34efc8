import { conflict, endedSession, passwordReset, secondFactor } from "./corners.ts"
import { firstSteps, firstTurn } from "./first-turn.ts"
import type { Journey } from "./journey.ts"
import { audit, catalog, credit, dashboards, newUser } from "./operator.ts"
import { endUser, tool, webhook } from "./owner.ts"
import { poolLogins } from "./providers.ts"

/** The journeys in their order. The last ones use the user that an earlier one creates. */
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
