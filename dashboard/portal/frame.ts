import type { PortalMessage, ShownFrame } from "../../src/portal/answers.ts"

const { frame: content } = document.body.dataset

/** How the page looks and who frames it. Null: the page's address is not one of the service. */
export const frame: ShownFrame | null = content ? JSON.parse(content) : null

export const isFramed = window.parent !== window

/** Shows the accent and the mode before the first paint. The page's policy allows no inline style. */
export function applyTheme(): void {
  if (!frame) return
  const { accents, mode } = frame
  const root = document.documentElement
  if (mode !== "auto") root.dataset.theme = mode
  if (accents.light) root.style.setProperty("--accent-light", accents.light)
  if (accents.dark) root.style.setProperty("--accent-dark", accents.dark)
}

/**
 * Sends a message to the page that frames this one, and to no other origin. A browser that does not tell the origin
 * of that page drops the messages to all other origins.
 */
export function tellParent(message: PortalMessage): void {
  if (!isFramed || !frame) return
  const known = window.location.ancestorOrigins?.[0]
  for (const origin of frame.origins) if (!known || known === origin) window.parent.postMessage(message, origin)
}

/** Tells the height of the page whenever it changes. */
export function tellHeight(root: Element): void {
  let told = 0
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height)
    if (height === told) return
    told = height
    tellParent({ type: "turnpike.portal.height", height })
  }).observe(root)
}
