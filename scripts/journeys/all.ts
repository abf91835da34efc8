import { conflict, endedSession, passwordReset, secondFactor } from "./corners.ts"
import { firstSteps, firstTurn } from "./first-turn.ts"
import type { Journey } from "./journey.ts"
import { invitation, statement, wallet } from "./money.ts"
import { audit, blocked, catalog, credit, dashboards, newUser } from "./operator.ts"
import { endUser, tool, webhook } from "./owner.ts"
import { poolLogins } from "./providers.ts"
import { allowedCall, foundTurn, playgroundTurn, refundedTurn } from "./turns.ts"

/** The journeys in their order. Later ones use the user and the space that earlier ones create. */
export const JOURNEYS: Journey[] = [
  firstTurn,
  playgroundTurn,
  foundTurn,
  allowedCall,
  tool,
  webhook,
  endUser,
  wallet,
  invitation,
  statement,
  refundedTurn,
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
  blocked,
]
