import * as z from "zod"
import { isLoopbackName } from "../base/network.ts"
import { PORTAL_POLICY } from "./policies.ts"

/** Hosts whose text has no meaning in a Content-Security-Policy, such as `;`, `,` or `*`. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/

const parsed = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

/** True for https, and for http on the developer's own machine. */
const isWeb = ({ protocol, hostname }: URL) =>
  HOST.test(hostname) && (protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname)))

export const isPlainHttp = (text: string) => text.startsWith("http:")

/** The origin of a page that may show the portal in a frame, exactly as browsers write it. */
export const originText = z
  .string()
  .min(1)
  .max(PORTAL_POLICY.originChars)
  .superRefine((text, issues) => {
    const url = parsed(text)
    if (url && isWeb(url) && url.origin === text) return
    const hint = url && isWeb(url) ? `. Send ${url.origin}` : ", such as https://shop.example.com"
    issues.addIssue({
      code: "custom",
      message: `must be an origin with https and without path, wildcard or user${hint}`,
    })
  })

const address = (isAllowed: (url: URL) => boolean, message: string) =>
  z
    .string()
    .min(1)
    .max(PORTAL_POLICY.urlChars)
    .refine((text) => {
      const url = parsed(text)
      return url !== null && isAllowed(url) && url.username === "" && url.password === ""
    }, message)

export const logoUrl = address(
  (url) => isWeb(url) && url.protocol === "https:",
  "must be an https address without a user",
)

export const returnUrl = address(isWeb, "must be an https address without a user")
