import { copyCode, showTabs } from "./site-samples.js"
import { listenForSearch } from "./site-search.js"
import { fillValues } from "./site-values.js"

// Adds what a page without scripts lacks: the search, tabs of samples, copying, the theme, and the reader's own values.
showTabs()
copyCode()
listenForSearch()
fillValues()

const THEMES = ["system", "light", "dark"]
const root = document.documentElement

document.querySelector(".theme")?.addEventListener("click", ({ currentTarget }) => {
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length]
  if (next === "system") delete root.dataset.theme
  else root.dataset.theme = next
  currentTarget.setAttribute("aria-label", `Change the theme (now ${next})`)
  try {
    if (next === "system") localStorage.removeItem("theme")
    else localStorage.setItem("theme", next)
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
})
