import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { playgroundPages as pages } from "./pages.ts"

interface PlaygroundSearch {
  space?: string
  conversation?: string
  model?: string
  /** A turn whose text is filled in. */
  from?: string
  /** A second model that gets the same texts, and its conversation. */
  compare?: string
  other?: string
  /** The end user as whom the turns run. */
  as?: string
  /** Ids of attached files, separated by commas. */
  files?: string
  /** The text at first, from a link. */
  text?: string
  /** The turn that was sent last. */
  turn?: string
  tab?: (typeof pages.playground.tabs)[number]
}

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.playground.path,
    validateSearch: (search: RawSearch): PlaygroundSearch => ({
      space: textIn(search.space),
      conversation: textIn(search.conversation),
      model: textIn(search.model),
      from: textIn(search.from),
      compare: textIn(search.compare),
      other: textIn(search.other),
      as: textIn(search.as),
      files: textIn(search.files),
      text: textIn(search.text),
      turn: textIn(search.turn),
      tab: oneIn(search.tab, pages.playground.tabs),
    }),
    component: lazyPage(() => import("./playground-page.tsx"), "PlaygroundPage"),
  }),
] as const
