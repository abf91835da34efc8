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

/** Goes from the system's theme to light, to dark, and back. public/theme.js reads the choice before the first paint. */
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
      // A browser that stores nothing: the choice lasts as long as the page.
    }
  }
  return <IconButton label={`Theme: ${theme}. Change it`} icon={theme} onClick={turn} />
}
