import { accountPages } from "../account/pages.ts"
import { analyticsPages } from "../analytics/pages.ts"
import { auditPages } from "../audit/pages.ts"
import { catalogPages } from "../catalog/pages.ts"
import { creditPages } from "../credit/pages.ts"
import { endUsersPages } from "../end-users/pages.ts"
import { homePages } from "../home/pages.ts"
import { integrationsPages } from "../integrations/pages.ts"
import { inventoryPages } from "../inventory/pages.ts"
import { operatorPages } from "../operator/pages.ts"
import { peoplePages } from "../people/pages.ts"
import { playgroundPages } from "../playground/pages.ts"
import { providersPages } from "../providers/pages.ts"
import { settingsPages } from "../settings/pages.ts"
import { spacesPages } from "../spaces/pages.ts"
import { subscriptionsPages } from "../subscriptions/pages.ts"
import { systemPages } from "../system/pages.ts"
import { teamsPages } from "../teams/pages.ts"
import { allTurnsPages, turnsPages } from "../turns/pages.ts"
import type { PageInfo } from "../ui/page-info.ts"
import { usagePages } from "../usage/pages.ts"
import { usersPages } from "../users/pages.ts"
import { workspacesPages } from "../workspaces/pages.ts"

const areas = {
  home: homePages,
  playground: playgroundPages,
  turns: turnsPages,
  spaces: spacesPages,
  endUsers: endUsersPages,
  usage: usagePages,
  integrations: integrationsPages,
  people: peoplePages,
  account: accountPages,
  operator: operatorPages,
  users: usersPages,
  subscriptions: subscriptionsPages,
  credit: creditPages,
  catalog: catalogPages,
  allTurns: allTurnsPages,
  inventory: inventoryPages,
  teams: teamsPages,
  workspaces: workspacesPages,
  settings: settingsPages,
  audit: auditPages,
  analytics: analyticsPages,
  providers: providersPages,
  system: systemPages,
}

export interface AreaPage extends PageInfo {
  area: string
}

/** Every page that needs a session, in the order of the navigation. */
export const ALL_PAGES: AreaPage[] = Object.entries(areas).flatMap(([area, pages]) =>
  Object.values(pages as Record<string, PageInfo>).map((page) => ({ ...page, area })),
)

export const isOperators = (path: string) => path === "/operator" || path.startsWith("/operator/")
