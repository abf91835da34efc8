// Before the viewer reads it: the theme that was chosen in the web app, which keeps it under a name of its own.
try {
  const theme = localStorage.getItem("theme")
  localStorage.setItem("colorMode", theme === "light" || theme === "dark" ? theme : "system")
} catch {}
