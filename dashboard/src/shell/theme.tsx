import { useState } from "react"
import { IconButton } from "../ui/button.tsx"

const THEMES = ["system", "light", "dark"] as const
type Theme = (typeof THEMES)[number]

function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem("theme")) ?? "system"
  } catch {
    return "system"
  }
}

/** Cycles through the system, light and dark themes. `public/theme.js` applies the choice before the first paint. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme)
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
    setTheme(next)
    if (next === "system") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    try {
      if (next === "system") localStorage.removeItem("theme")
      else localStorage.setItem("theme", next)
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  }
  return <IconButton label={`Change the theme (now ${theme})`} icon={theme} onClick={turn} />
}
