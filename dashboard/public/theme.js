// Before the first paint: the theme that was chosen in this browser. A file, since the page's policy allows no inline script.
try {
  const theme = localStorage.getItem("theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {}
