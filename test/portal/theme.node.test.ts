import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { portalFiles } from "../../scripts/portal-files.ts"
import { PORTAL_FILES } from "../../src/portal/page.ts"
import { PORTAL_POLICY } from "../../src/portal/policies.ts"
import { accentsOf, contrastOn, PORTAL_BACKGROUNDS, portalThemeSchema, readableOn } from "../../src/portal/theme.ts"

const MODES = ["light", "dark"] as const

test("The backgrounds that accents are checked on are those of the page", async () => {
  const style = (await portalFiles()).get(PORTAL_FILES.style) ?? ""
  const { light, dark } = PORTAL_BACKGROUNDS
  expect(style).toContain(`--bg: light-dark(${light}, ${dark});`)
  expect(style).toMatch(/body \{[^}]*background: var\(--bg\)/)
})

test("Each colour has a shade that can be read on both backgrounds, and a readable one stays as it is", () => {
  for (const colour of ["#000000", "#ffffff", "#808080", "#ff0000", "#00ff00", "#0000ff", "#ffcc00", "#777777"]) {
    for (const mode of MODES) {
      const shade = readableOn(colour, mode)
      expect(contrastOn(shade, mode), `${colour} on ${mode}`).toBeGreaterThanOrEqual(PORTAL_POLICY.contrast)
      if (contrastOn(colour, mode) >= PORTAL_POLICY.contrast) expect(shade).toBe(colour)
    }
  }
})

test("The contrast is that of WCAG: black on white has 21, and equal colours have 1", () => {
  expect(contrastOn("#000000", "light")).toBeCloseTo(21, 5)
  expect(contrastOn("#ffffff", "light")).toBeCloseTo(1, 5)
  // #767676 is the lightest grey that passes on white.
  expect(contrastOn("#767676", "light")).toBeGreaterThanOrEqual(4.5)
  expect(contrastOn("#777777", "light")).toBeLessThan(4.5)
})

test("An accent alone is also shown on the dark background, in a shade that can be read there", () => {
  const theme = portalThemeSchema.parse({ accent: "#0A6B5E" })
  const { light, dark } = accentsOf(theme)
  expect(light).toBe("#0a6b5e")
  expect(contrastOn(dark ?? "", "dark")).toBeGreaterThanOrEqual(PORTAL_POLICY.contrast)
  expect(accentsOf(portalThemeSchema.parse({ accent: "#ffcc00", mode: "dark" }))).toEqual({ dark: "#ffcc00" })
  expect(accentsOf(portalThemeSchema.parse({}))).toEqual({})
})

test("The page uses neither cookies nor storage, and its messages name their target", () => {
  const source = readdirSync("dashboard/portal")
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(`dashboard/portal/${name}`, "utf8"))
    .join("\n")
  expect(source).not.toMatch(/\b(cookie|localStorage|sessionStorage|indexedDB|innerHTML)\b(?=[.[( ]*[=.[(])/)
  expect(source.match(/postMessage\(([^)]*)\)/g)).toEqual(["postMessage(message, origin)"])
})
