import * as z from "zod"
import { PORTAL_MODES } from "./answers.ts"
import { PORTAL_POLICY } from "./policies.ts"
import { logoUrl } from "./web-addresses.ts"

/** The backgrounds of the page, on which it shows the accent. A test compares them with the page's stylesheet. */
export const PORTAL_BACKGROUNDS = { light: "#ffffff", dark: "#0f1114" } as const

type Background = keyof typeof PORTAL_BACKGROUNDS

const COLOUR = /^#[0-9a-fA-F]{6}$/

const colour = z
  .string()
  .regex(COLOUR, "must be a colour such as #3d4ed8")
  .transform((text) => text.toLowerCase())

export const portalThemeSchema = z
  .strictObject({
    accent: colour.optional().meta({
      description:
        `The colour of links, buttons and bars. Its contrast must be at least ${PORTAL_POLICY.contrast}:1 on the background of the mode. ` +
        "With `auto`, this is the light background. Default: the portal's own blue.",
      example: "#3d4ed8",
    }),
    accent_dark: colour.optional().meta({
      description:
        "The accent on the dark background of the mode `auto`, with the same contrast. Default: `accent`, made as light as needed.",
      example: "#9db0ff",
    }),
    logo: logoUrl.optional().meta({
      description: "The https address of a picture, shown 24 pixels high.",
      example: "https://shop.example.com/logo.svg",
    }),
    mode: z
      .enum(PORTAL_MODES)
      .default("auto")
      .meta({ description: "`auto`: as the end user's system.", example: "auto" }),
  })
  .superRefine(({ accent, accent_dark, mode }, issues) => {
    const check = (path: "accent" | "accent_dark", value: string | undefined, background: Background) => {
      // Text that is not a colour already has an issue.
      if (value === undefined || !COLOUR.test(value) || contrastOn(value, background) >= PORTAL_POLICY.contrast) return
      const ratio = Math.floor(contrastOn(value, background) * 100) / 100
      issues.addIssue({
        code: "custom",
        path: [path],
        message:
          `has a contrast of ${ratio}:1 on the ${background} background; at least ${PORTAL_POLICY.contrast}:1 is needed. ` +
          `The nearest shade is ${readableOn(value, background)}`,
      })
    }
    check("accent", accent, mode === "dark" ? "dark" : "light")
    check("accent_dark", accent_dark, "dark")
    if (accent_dark !== undefined && mode !== "auto") {
      issues.addIssue({ code: "custom", path: ["accent_dark"], message: "is only possible with the mode auto" })
    }
  })
  .meta({ id: "PortalTheme" })

export type PortalTheme = z.output<typeof portalThemeSchema>

/** The accents that the page shows, by background. Undefined: the page's own. */
export function accentsOf({ accent, accent_dark, mode }: PortalTheme): { light?: string; dark?: string } {
  if (accent === undefined) return accent_dark === undefined ? {} : { dark: accent_dark }
  if (mode === "light") return { light: accent }
  if (mode === "dark") return { dark: accent }
  return { light: accent, dark: accent_dark ?? readableOn(accent, "dark") }
}

/** The contrast of a colour with the background of a mode. */
export const contrastOn = (colour: string, background: Background): number =>
  contrast(colour, PORTAL_BACKGROUNDS[background])

/** The colour, mixed with black or white in steps of 1 % until it can be read on the background. */
export function readableOn(colour: string, background: Background): string {
  const target = background === "light" ? 0 : 255
  for (let percent = 0; percent <= 100; percent++) {
    const mixed = channelsOf(colour).map((value) => Math.round(value + ((target - value) * percent) / 100))
    const text = `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`
    if (contrastOn(text, background) >= PORTAL_POLICY.contrast) return text
  }
  throw new Error("black or white cannot be read on this background")
}

/** The contrast ratio of two colours (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channelsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
