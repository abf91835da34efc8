import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { rootRoute } from "../shell/app-route.tsx"
import { type RawSearch, textIn } from "../shell/search.ts"

/** A path of this app, or nothing: a link must not lead anywhere else after the sign-in. */
function safeNextIn(value: unknown): string | undefined {
  const next = textIn(value)
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : undefined
}

const nextIn = (search: RawSearch): { next?: string } => ({ next: safeNextIn(search.next) })

/** `again`: somebody who is signed in proves by another sign-in who they are. */
function signInSearch(search: RawSearch): { next?: string; again?: true } {
  const found: { next?: string; again?: true } = nextIn(search)
  if (search.again) found.again = true
  return found
}

export const publicRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/",
    component: lazyRouteComponent(() => import("./welcome-page.tsx"), "WelcomePage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: signInSearch,
    component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/magic",
    validateSearch: nextIn,
    component: lazyRouteComponent(() => import("./magic-page.tsx"), "MagicPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/mini-app",
    component: lazyRouteComponent(() => import("./mini-app-page.tsx"), "MiniAppPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/reset-password",
    component: lazyRouteComponent(() => import("./reset-page.tsx"), "ResetPasswordPage"),
  }),
  // Where the service sends a sign-in that does not say where it wants to go.
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/chat",
    beforeLoad: () => {
      throw redirect({ to: "/home" })
    },
  }),
] as const
