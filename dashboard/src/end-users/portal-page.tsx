import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import type { PortalTheme, PreviewPortal } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { PortalThemeRules, PreviewPortalRules } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Form, Select, TextInput } from "../ui/field.tsx"
import { OutLink, TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { endUsersPages } from "./pages.ts"
import { portalAsTypeScript, portalCurl, portalFrame } from "./portal-code.ts"

type Scope = PreviewPortal["scopes"][number]

const SCOPES: Record<Scope, string> = {
  usage: "Spend by day",
  turns: "Turns with their texts",
  limits: "What is left of their limits",
  wallet: "Prepaid balance",
  approvals: "Calls that wait for their decision",
  profile: "Facts of their profile, which they may change",
}

const MODES: Record<NonNullable<PortalTheme["mode"]>, string> = {
  auto: "As the customer's system",
  light: "Light",
  dark: "Dark",
}

/** The names of facts in a text with commas. */
const keysIn = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))]

const USUAL: Scope[] = ["usage", "turns", "limits"]
const ORIGIN = "https://shop.example.com"

/** A preview of the portal for one customer, and the code that shows it in the owner's own page. */
export function PortalPage() {
  const { endUserRef } = useParams({ from: "/app/end-users/$endUserRef/portal" })
  const { test, scopes: named, facts, mode, accent, logo } = useSearch({ from: "/app/end-users/$endUserRef/portal" })
  const scopes = PreviewPortalRules["scopes[]"].words.filter((scope) => (named?.split(",") ?? USUAL).includes(scope))
  const theme: PortalTheme = {
    ...(mode && { mode }),
    ...(accent && { accent }),
    ...(logo && { logo }),
  }
  const keys = scopes.includes("profile") ? keysIn(facts ?? "") : []
  const body: PreviewPortal = {
    scopes,
    ...(keys.length > 0 && { profile_keys: keys }),
    ...(Object.keys(theme).length > 0 && { theme }),
  }
  const preview = useChange("previewPortal", { changes: [] })
  const { mutate } = preview
  const show = () => mutate({ path: { end_user_ref: endUserRef }, query: { test: test && "true" }, body })
  const asked = JSON.stringify([endUserRef, test, body])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` has all that the request is made of
  useEffect(show, [asked])
  const request = { ...body, allowed_origins: [ORIGIN] }
  return (
    <Page
      {...endUsersPages.portal}
      above={
        <>
          <TextLink to="/end-users" search={{ test }}>
            End users
          </TextLink>{" "}
          /{" "}
          <TextLink to="/end-users/$endUserRef" params={{ endUserRef }} search={{ test }}>
            {endUserRef}
          </TextLink>
        </>
      }
      action={
        <Button onClick={show} busy={preview.isPending}>
          Reload the preview
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[320px_minmax(0,1fr)]">
        <Look key={JSON.stringify(body)} of={body} busy={preview.isPending} error={preview.error} />
        <Section title="Preview">
          {preview.error ? (
            <ErrorState error={preview.error} />
          ) : preview.data ? (
            <Preview key={preview.data.url} url={preview.data.url} onExpired={show} />
          ) : (
            <Skeleton rows={8} />
          )}
        </Section>
      </div>
      <Section title="Create a session on your server">
        <p className="max-w-[72ch] text-muted">
          Your server does this with your key each time the customer opens your page. The address opens once. Replace{" "}
          <code>{ORIGIN}</code> with the origin of your page. <OutLink href="/docs/portal">Guide</OutLink>
        </p>
        <CodeBlock label="TypeScript" code={portalAsTypeScript(endUserRef, request)} />
        <CodeBlock label="curl" code={portalCurl(endUserRef, request)} />
      </Section>
      <Section title="Show it in your page">
        <CodeBlock label="HTML" code={portalFrame()} />
      </Section>
    </Page>
  )
}

interface LookProps {
  of: PreviewPortal
  busy: boolean
  error: unknown
}

/** What the portal shows, and how it looks. A submit writes it into the address of this page. */
function Look({ of: { scopes: shown, profile_keys: keys = [], theme }, busy, error }: LookProps) {
  const navigate = useNavigate()
  const [scopes, setScopes] = useState<readonly Scope[]>(shown)
  const [facts, setFacts] = useState(keys.join(", "))
  const [mode, setMode] = useState<string>(theme?.mode ?? PortalThemeRules.mode.default)
  const [accent, setAccent] = useState(theme?.accent ?? "")
  const [logo, setLogo] = useState(theme?.logo ?? "")
  const submit = () =>
    void navigate({
      to: ".",
      search: ((old: object) => ({
        ...old,
        scopes: scopes.join(",") === USUAL.join(",") ? undefined : scopes.join(","),
        facts: scopes.includes("profile") ? keysIn(facts).join(",") || undefined : undefined,
        mode: mode === PortalThemeRules.mode.default ? undefined : mode,
        accent: accent.trim() || undefined,
        logo: logo.trim() || undefined,
      })) as never,
      resetScroll: false,
    })
  return (
    <Form
      label="What the portal shows"
      onSubmit={submit}
      actions={
        <Button kind="primary" type="submit" busy={busy} disabled={scopes.length === 0}>
          Show the preview
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 font-strong">The customer sees</legend>
        {PreviewPortalRules["scopes[]"].words.map((scope) => (
          <Checkbox
            key={scope}
            label={SCOPES[scope]}
            checked={scopes.includes(scope)}
            onChange={({ target }) =>
              setScopes(
                PreviewPortalRules["scopes[]"].words.filter((one) =>
                  one === scope ? target.checked : scopes.includes(one),
                ),
              )
            }
          />
        ))}
      </fieldset>
      {scopes.includes("profile") && (
        <TextInput
          label="Facts that they may change"
          name="profile_keys"
          hint="The names of facts in their profile, with commas between them."
          placeholder="name, time_zone"
          autoComplete="off"
          spellCheck={false}
          required
          error={error}
          value={facts}
          onChange={({ target }) => setFacts(target.value)}
        />
      )}
      <Select label="Mode" value={mode} onChange={({ target }) => setMode(target.value)} options={choicesOf(MODES)} />
      <TextInput
        label="Accent"
        name="theme.accent"
        hint="The colour of links, buttons and bars. Empty: the portal's own."
        placeholder="#3d4ed8"
        autoComplete="off"
        spellCheck={false}
        error={error}
        value={accent}
        onChange={({ target }) => setAccent(target.value)}
      />
      <TextInput
        label="Logo"
        name="theme.logo"
        hint="The https address of a picture."
        placeholder="https://shop.example.com/logo.svg"
        autoComplete="off"
        error={error}
        value={logo}
        onChange={({ target }) => setLogo(target.value)}
      />
    </Form>
  )
}

/** The portal in a frame, as high as it says. */
function Preview({ url, onExpired }: { url: string; onExpired: () => void }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(480)
  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data?.type === "turnpike.portal.height") setHeight(data.height)
      if (data?.type === "turnpike.portal.expired") onExpired()
    }
    window.addEventListener("message", hear)
    return () => window.removeEventListener("message", hear)
  })
  return (
    <iframe
      ref={frame}
      src={url}
      title="Preview of the portal"
      className="w-full rounded-md border border-line"
      style={{ height }}
    />
  )
}
