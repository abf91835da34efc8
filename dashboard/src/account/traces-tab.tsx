import { Suspense, useState } from "react"
import type { TraceEndpoint } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { Checkbox, Form, Select, TextArea, TextInput } from "../ui/field.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"

const RemoveDialog = lazyPart(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.RemoveTracesDialog })),
)

export function TracesTab() {
  const read = useRead("getTraceEndpoint")
  return (
    <Section title="Traces">
      <p className="max-w-[72ch] text-muted">
        Spans of your turns, model calls, tool calls and webhooks are sent to your OpenTelemetry collector, a minute or
        two after each turn has ended. <a href="/docs/traces">Guide to traces</a>
      </p>
      <Read of={read} rows={5}>
        {({ endpoint }) => (
          <>
            {endpoint && <EndpointState of={endpoint} />}
            <EndpointForm key={endpoint?.updated_at} of={endpoint} />
          </>
        )}
      </Read>
    </Section>
  )
}

function EndpointState({ of }: { of: TraceEndpoint }) {
  const { spans_sent, last_sent_at, last_failed_at, last_error, retry_at, exported_until } = of
  const state = retry_at ? "failing" : last_sent_at ? "working" : "waiting"
  const tones = { failing: "bad", working: "ok", waiting: "none" } as const
  return (
    <KeyValues
      entries={[
        ["State", <Status key="state" word={state} tone={tones[state]} />],
        [
          "Spans sent",
          <span key="sent">
            {spans_sent.toLocaleString()}
            {last_sent_at && (
              <>
                , last <Time at={last_sent_at} />
              </>
            )}
          </span>,
        ],
        ["Exported until", <Time key="until" at={exported_until} />],
        [
          "Last failure",
          last_error === null ? undefined : (
            <span key="failure" className="break-words">
              <Time at={last_failed_at} />: {last_error}
            </span>
          ),
        ],
        ["Next attempt", retry_at === null ? undefined : <Time key="retry" at={retry_at} />],
      ]}
    />
  )
}

/** Parses lines of the form `Name: value`. `error` names the first line that is not one or repeats a name. */
function readHeaders(text: string): { headers?: Record<string, string>; error?: string } {
  const headers = new Map<string, [name: string, value: string]>()
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const [, name = "", value = ""] = /^\s*([^\s:]+)\s*:(.*)$/.exec(line) ?? []
    if (value.trim() === "") return { error: `Line ${index + 1} must be a name, a colon and a value.` }
    if (headers.has(name.toLowerCase())) return { error: `Line ${index + 1} repeats the header ${name}.` }
    headers.set(name.toLowerCase(), [name, value.trim()])
  }
  return headers.size === 0 ? {} : { headers: Object.fromEntries(headers.values()) }
}

function EndpointForm({ of }: { of: TraceEndpoint | null }) {
  const draft = useDraft("traces")
  const put = useChange("putTraceEndpoint", { changes: ["getTraceEndpoint"], draft })
  const [removing, setRemoving] = useState(false)
  const [url, setUrl] = draft.useField("url", of?.url ?? "")
  const [what, setWhat] = draft.useField("what", of?.header_names.length ? "keep" : "none")
  const [headers, setHeaders] = draft.useField("headers", "", { secret: true })
  const [withText, setWithText] = draft.useField("with_text", of?.with_text ?? false)
  const read = readHeaders(headers)
  const send = () =>
    put.mutate(
      {
        body: {
          url,
          with_text: withText,
          ...(what === "set" && { headers: read.headers }),
          ...(what === "none" && { headers: null }),
        },
      },
      { onSuccess: () => toast("The endpoint is saved.") },
    )
  return (
    <Form
      draft={draft}
      label="Endpoint for traces"
      onSubmit={send}
      actions={
        <>
          <Button
            does="putTraceEndpoint"
            kind="primary"
            type="submit"
            busy={put.isPending}
            disabled={url === "" || (what === "set" && read.headers === undefined)}
          >
            {of ? "Save the endpoint" : "Send traces"}
          </Button>
          {of && (
            <Button does="deleteTraceEndpoint" kind="danger" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <TextInput
        label="URL"
        name="url"
        type="url"
        placeholder="https://otlp.example.com/v1/traces"
        hint="The whole URL for traces by OTLP/HTTP"
        value={url}
        error={put.error}
        onChange={({ target }) => setUrl(target.value.trim())}
      />
      <Select
        label="Headers"
        hint={
          of?.header_names.length ? `Stored: ${of.header_names.join(", ")}. The values are never shown.` : undefined
        }
        value={what}
        options={[
          ...(of?.header_names.length ? [["keep", "Keep"] as const] : []),
          ["none", "None"] as const,
          ["set", of ? "Replace all" : "Set"] as const,
        ]}
        onChange={({ target }) => setWhat(target.value)}
      />
      {what === "set" && (
        <TextArea
          mono
          label="All headers"
          name="headers"
          hint="One per line: Authorization: Bearer …"
          autoComplete="off"
          value={headers}
          error={read.error ?? put.error}
          onChange={({ target }) => setHeaders(target.value)}
        />
      )}
      <Checkbox
        label="Include texts"
        hint="Messages, inputs and outputs of tools, and error messages leave the service. Without them, spans have only names, ids, times, token counts and costs."
        checked={withText}
        onChange={({ target }) => setWithText(target.checked)}
      />
      {put.error && <ErrorState error={put.error} />}
      <Suspense>{removing && <RemoveDialog onClose={() => setRemoving(false)} />}</Suspense>
    </Form>
  )
}
