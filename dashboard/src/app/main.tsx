import "./styles.css"
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ApiError } from "../api/api-error.ts"
import { barredBy, isRoleRequired, needsSignIn } from "../api/call.ts"
import { setBarred } from "../api/page-user.ts"
import { readAgain } from "../api/query.ts"
import { setSessionOver } from "../api/session-over.ts"
import { appRoute } from "../shell/app-route.tsx"
import { SecretHost } from "../ui/secret-host.tsx"
import { createAppRouter } from "./router.tsx"

const mayRetry = (count: number, error: Error) =>
  count < 1 && error instanceof ApiError && (error.status === 0 || error.status === 503)

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => askWhenOver(error) }),
  mutationCache: new MutationCache({ onError: (error) => askWhenOver(error, { isChange: true }) }),
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 10_000 },
    // Offline, a change fails at once. The default keeps it, and sends it later by itself.
    mutations: { networkMode: "always" },
  },
})
// The user stays known, so that an ended session can be continued on the same page.
queryClient.setQueryDefaults(["getCurrentUser"], { gcTime: Number.POSITIVE_INFINITY })
const router = createAppRouter(queryClient)
// The code of the page loads while the service says who is signed in.
const [routes] = router.getMatchedRoutes(location.pathname)
for (const route of routes) void router.loadRouteChunk(route)

/** Says over a page that needs a session that it has ended, or that the page may not show its account any more. */
function askWhenOver(error: Error, { isChange = false } = {}): void {
  const isPrivate = router.state.matches.some(({ routeId }) => routeId === appRoute.id)
  if (needsSignIn(error) && isPrivate) setSessionOver(true)
  const barred = barredBy(error)
  // A change may be refused for lack of another person's factor.
  const isUnclear = isChange && barred?.reason === "no_factor"
  if (barred && isPrivate && !isUnclear) setBarred(barred)
  // The role or the rules have changed since the page read them.
  if (isChange && (isRoleRequired(error) || isUnclear)) void readAgain(queryClient, ["getMe"])
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <SecretHost />
    </QueryClientProvider>
  </StrictMode>,
)
