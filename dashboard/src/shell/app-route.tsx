import { CSPProvider } from "@base-ui/react/csp-provider"
import type { QueryClient } from "@tanstack/react-query"
import {
  createRootRouteWithContext,
  createRoute,
  notFound,
  Outlet,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router"
import { barredBy, needsSignIn } from "../api/call.ts"
import { pageAccount, setPageUser } from "../api/page-user.ts"
import { queryOf } from "../api/query.ts"
import { setSessionOver } from "../api/session-over.ts"
import { Toaster } from "../ui/toast.tsx"
import { Failure, NotFound } from "./failure.tsx"
import { flagIn, type RawSearch } from "./search.ts"

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: () => (
    <CSPProvider disableStyleElements>
      <Outlet />
      <Toaster />
    </CSPProvider>
  ),
  notFoundComponent: NotFound,
})

/** The parent of all pages that need a session. The router adds the frame. `test`: the pages show test data. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  errorComponent: Failure,
  validateSearch: (search: RawSearch): { test?: true } => ({ test: flagIn(search.test) }),
  // Links keep `test`, so that the next page shows the same kind of data.
  search: { middlewares: [retainSearchParams(["test"])] },
  beforeLoad: async ({ context, location }) => {
    try {
      const user = await context.queryClient.ensureQueryData({ ...queryOf("getCurrentUser"), staleTime: 60_000 })
      setPageUser(user)
      // The pages of a member depend on the role from the start.
      if (pageAccount()) await context.queryClient.ensureQueryData(queryOf("getMe"))
      return { user }
    } catch (error) {
      const barred = barredBy(error)
      if (barred && barred.reason !== "other_user") {
        throw redirect({ to: "/accounts", search: { barred: barred.reason } })
      }
      if (!needsSignIn(error)) throw error
      // A user whose session has ended while the app is open signs in over the page.
      const user = context.queryClient.getQueryData(queryOf("getCurrentUser").queryKey)
      if (!user) throw redirect({ to: "/sign-in", search: { next: location.href } })
      setSessionOver(true)
      return { user }
    }
  },
})

/** The parent of the pages for admins. Other users get "not found", and so do not learn that the pages exist. */
export const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  id: "admin",
  notFoundComponent: NotFound,
  beforeLoad: ({ context }) => {
    if (context.user.role !== "admin") throw notFound()
  },
})
