import { createRoute, redirect } from "@tanstack/react-router"
import { rootRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { oneIn, type RawSearch, textIn } from "../shell/search.ts"

/** A path of this app, or undefined: after the sign-in, a link must not redirect to another site. */
function safeNextIn(value: unknown): string | undefined {
  const next = textIn(value)
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : undefined
}

const nextIn = (search: RawSearch): { next?: string } => ({ next: safeNextIn(search.next) })

/** `again`: a signed-in user confirms their identity by another sign-in. */
function signInSearch(search: RawSearch): { next?: string; again?: true } {
  const found: { next?: string; again?: true } = nextIn(search)
  if (search.again) found.again = true
  return found
}

export const publicRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/",
    component: lazyPage(() => import("./welcome-page.tsx"), "WelcomePage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: signInSearch,
    component: lazyPage(() => import("./sign-in-page.tsx"), "SignInPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/magic",
    validateSearch: nextIn,
    component: lazyPage(() => import("./magic-page.tsx"), "MagicPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/mini-app",
    component: lazyPage(() => import("./mini-app-page.tsx"), "MiniAppPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/reset-password",
    component: lazyPage(() => import("./reset-page.tsx"), "ResetPasswordPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/invitation",
    component: lazyPage(() => import("./invitation-page.tsx"), "InvitationPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/accounts",
    validateSearch: (search: RawSearch): { barred?: "no_member" | "no_factor" } => ({
      barred: oneIn(search.barred, ["no_member", "no_factor"]),
    }),
    component: lazyPage(() => import("./accounts-page.tsx"), "AccountsPage"),
  }),
  // The service redirects here after a sign-in without `next`.
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/chat",
    beforeLoad: () => {
      throw redirect({ to: "/home" })
    },
  }),
] as const
