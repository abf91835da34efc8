import { lazyRouteComponent } from "@tanstack/react-router"
import { partMissing } from "../ui/lazy-part.tsx"

/**
 * Like lazyRouteComponent, but a page that does not load shows an error. The router would reload the browser, which
 * shows nothing at all while it is offline.
 */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(
    () =>
      importer().catch(() => {
        throw partMissing()
      }),
    name,
  )
