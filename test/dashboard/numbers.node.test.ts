import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"

const UI = new URL("../../dashboard/src/ui/", import.meta.url).href

/** The texts that the web app makes in a browser of this language. Node takes its language from the environment. */
function textsIn(language: string): string[] {
  const script = `
    import { counted, countText, MONEY, roundedText, roughUsd } from "${UI}numbers.ts"
    import { labelText } from "${UI}chart-scale.ts"
    import { lasted } from "${UI}durations.ts"
    console.log(JSON.stringify([
      MONEY.exact.format(1234.5600012), roundedText(1234.5678, MONEY), roundedText(0.0004, MONEY), roundedText(-0.15, MONEY),
      roughUsd(0.004712), countText(1234567), counted(1, "turn"), counted(1200, "tool call"), labelText("2026-11-06"), lasted(2450)]))`
  const env = { ...process.env, LC_ALL: `${language.replace("-", "_")}.UTF-8` }
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" })
  // Some languages write spaces that do not break.
  return JSON.parse(said).map((text: string) => text.replaceAll(/[\u00a0\u202f]/g, " "))
}

test.each([
  [
    "en-US",
    [
      "$1,234.5600012",
      "$1,234.57",
      "< $0.01",
      "-$0.15",
      "$0.0047",
      "1,234,567",
      "1 turn",
      "1,200 tool calls",
      "Nov 6",
      "2.5 s",
    ],
  ],
  [
    "de-DE",
    [
      "1.234,5600012 $",
      "1.234,57 $",
      "< 0,01 $",
      "-0,15 $",
      "0,0047 $",
      "1.234.567",
      "1 turn",
      "1.200 tool calls",
      "6. Nov.",
      "2,5 s",
    ],
  ],
  [
    "en-CA",
    [
      "US$1,234.5600012",
      "US$1,234.57",
      "< US$0.01",
      "-US$0.15",
      "US$0.0047",
      "1,234,567",
      "1 turn",
      "1,200 tool calls",
      "Nov 6",
      "2.5 s",
    ],
  ],
])("Amounts, counts and days have the form of a browser in %s", (language, texts) => {
  expect(textsIn(language)).toEqual(texts)
})
