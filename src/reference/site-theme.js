// Before the first paint: scripts run, so samples become tabs that show the language that the reader chose last.
{
  const root = document.documentElement
  root.classList.add("js")
  root.dataset.lang = "typescript"
  try {
    const lang = localStorage.getItem("docs.language")
    if (lang && ["typescript", "python", "bash"].includes(lang)) root.dataset.lang = lang
  } catch {}
}
