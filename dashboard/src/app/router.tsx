import type { QueryClient } from "@tanstack/react-query"
import { createRouter } from "@tanstack/react-router"
import { accountRoutes } from "../account/routes.ts"
import { analyticsRoutes } from "../analytics/routes.ts"
import { forgetAnswers } from "../api/send.ts"
import { auditRoutes } from "../audit/routes.ts"
import { catalogRoutes } from "../catalog/routes.ts"
import { creditRoutes } from "../credit/routes.ts"
import { endUsersRoutes } from "../end-users/routes.ts"
import { homeRoutes } from "../home/routes.ts"
import { integrationsRoutes } from "../integrations/routes.ts"
import { inventoryRoutes } from "../inventory/routes.ts"
import { operatorRoutes } from "../operator/routes.ts"
import { peopleRoutes } from "../people/routes.ts"
import { playgroundRoutes } from "../playground/routes.ts"
import { providersRoutes } from "../providers/routes.ts"
import { settingsRoutes } from "../settings/routes.ts"
import { adminRoute, appRoute, rootRoute } from "../shell/app-route.tsx"
import { Failure, NotFound } from "../shell/failure.tsx"
import { parseSearch, stringifySearch } from "../shell/search.ts"
import { publicRoutes } from "../sign-in/routes.ts"
import { spacesRoutes } from "../spaces/routes.ts"
import { subscriptionsRoutes } from "../subscriptions/routes.ts"
import { systemRoutes } from "../system/routes.ts"
import { teamsRoutes } from "../teams/routes.ts"
import { allTurnsRoutes, turnsRoutes } from "../turns/routes.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { usageRoutes } from "../usage/routes.ts"
import { usersRoutes } from "../users/routes.ts"
import { workspacesRoutes } from "../workspaces/routes.ts"
import { Layout } from "./layout.tsx"

const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  appRoute
    .update({ component: Layout })
    .addChildren([
      ...homeRoutes,
      ...playgroundRoutes,
      ...turnsRoutes,
      ...spacesRoutes,
      ...endUsersRoutes,
      ...usageRoutes,
      ...integrationsRoutes,
      ...peopleRoutes,
      ...accountRoutes,
      adminRoute.addChildren([
        ...operatorRoutes,
        ...usersRoutes,
        ...subscriptionsRoutes,
        ...creditRoutes,
        ...catalogRoutes,
        ...allTurnsRoutes,
        ...inventoryRoutes,
        ...teamsRoutes,
        ...workspacesRoutes,
        ...settingsRoutes,
        ...auditRoutes,
        ...analyticsRoutes,
        ...providersRoutes,
        ...systemRoutes,
      ]),
    ]),
])

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: () => <Skeleton rows={6} />,
    defaultErrorComponent: Failure,
    defaultNotFoundComponent: NotFound,
  })
  router.subscribe("onBeforeNavigate", ({ pathChanged }) => pathChanged && forgetAnswers())
  return router
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
