// Sets the chosen theme before the first paint. A file, because the content security policy forbids inline scripts.
try {
  const theme = localStorage.getItem("theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {}
