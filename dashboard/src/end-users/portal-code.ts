import { CLIENT_PACKAGE } from "../api/client-package.ts"
import type { PreviewPortal } from "../api/operations.ts"
import { wholeCurl } from "../ui/commands.ts"

/** The request of the owner's server: the fields of the preview, and the origin that shows the portal in a frame. */
export interface PortalRequest extends PreviewPortal {
  allowed_origins: string[]
}

/** Creates a session of the portal, as a command that runs as it is. */
export const portalCurl = (endUserRef: string, body: PortalRequest) =>
  wholeCurl(`/v1/end-users/${encodeURIComponent(endUserRef)}/portal-sessions`, { method: "POST", body })

/** Creates a session with the TypeScript client. */
export const portalAsTypeScript = (
  endUserRef: string,
  body: PortalRequest,
) => `import { Turnpike } from "${CLIENT_PACKAGE}"

// Reads TURNPIKE_BASE_URL and TURNPIKE_API_KEY.
const turnpike = new Turnpike()

const { url } = await turnpike.endUsers.createPortalSession(
  ${JSON.stringify(endUserRef)},
  ${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")},
)
console.log(url)`

/** The code of the guide, for this service. POST /portal-session is an operation of the owner's server. */
export const portalFrame = () => `<iframe id="usage" title="Your usage" style="width: 100%; border: 0"></iframe>
<script>
  const frame = document.getElementById("usage")
  // The origin of the portal's url.
  const portal = ${JSON.stringify(location.origin)}

  // Your server creates the session for the customer who is signed in.
  const open = async () => {
    const { url } = await (await fetch("/portal-session", { method: "POST" })).json()
    frame.src = url
  }

  // The portal says its height, and when its session has ended.
  addEventListener("message", ({ origin, source, data }) => {
    if (origin !== portal || source !== frame.contentWindow) return
    if (data.type === "turnpike.portal.height") frame.style.height = \`\${data.height}px\`
    if (data.type === "turnpike.portal.expired") open()
  })
  open()
</script>`
