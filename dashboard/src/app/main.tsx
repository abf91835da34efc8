import "./styles.css"
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ApiError } from "../api/api-error.ts"
import { needsSignIn } from "../api/call.ts"
import { createAppRouter } from "./router.tsx"

const mayRetry = (count: number, error: Error) =>
  count < 1 && error instanceof ApiError && (error.status === 0 || error.status === 503)

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenOver }),
  mutationCache: new MutationCache({ onError: leaveWhenOver }),
  defaultOptions: { queries: { retry: mayRetry, staleTime: 10_000 } },
})
const router = createAppRouter(queryClient)

/** If the session has ended, opens the sign-in page, which leads back to this page. */
function leaveWhenOver(error: Error): void {
  const { pathname, href } = router.state.location
  if (!needsSignIn(error) || ["/", "/sign-in", "/magic"].includes(pathname)) return
  queryClient.clear()
  void router.navigate({ to: "/sign-in", search: { next: href } })
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
