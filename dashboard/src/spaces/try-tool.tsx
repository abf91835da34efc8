import type { Tool, ToolTest } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock, Json } from "../ui/code-block.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea, TextInput } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { useSpaceInput } from "./space-parts.ts"

const SAMPLES: Record<string, unknown> = { string: "", number: 0, integer: 0, boolean: false, array: [], object: {} }

/** A sample input: each property of the schema with its default or an empty value. */
function sampleOf({ properties }: { properties?: unknown }): Record<string, unknown> {
  const entries = Object.entries((properties ?? {}) as Record<string, { type?: string; default?: unknown }>)
  return Object.fromEntries(
    entries.map(([name, { type, default: value }]) => [name, value ?? SAMPLES[type ?? ""] ?? ""]),
  )
}

/** Sends the tool's request as a turn would, and shows the request and the response. */
export function TryTool({ tool }: { tool: Tool }) {
  const { path, query } = useSpaceInput()
  const test = useChange("testTool", { changes: [] })
  const draft = useDraft(`try-tool.${path.space_id}.${tool.name}`, { quiet: true })
  const [text, setText] = draft.useField("text", jsonText(sampleOf(tool.input_schema)))
  const [endUser, setEndUser] = draft.useField("end_user", "")
  const read = readJson(text)
  const send = () =>
    test.mutate({
      path: { ...path, name: tool.name },
      query,
      body: {
        input: (read.value ?? {}) as Record<string, unknown>,
        ...(endUser.trim() !== "" && { end_user_ref: endUser.trim() }),
      },
    })
  return (
    <Section title={`Test ${tool.name}`}>
      <div className="grid gap-6 lg:grid-cols-2">
        <Form
          label={`Test ${tool.name}`}
          onSubmit={send}
          actions={
            <Button kind="primary" type="submit" busy={test.isPending} disabled={read.error !== undefined}>
              Send the request
            </Button>
          }
        >
          <TextArea
            mono
            label="Input"
            hint="JSON, as a model would pass it. The request is really sent."
            rows={8}
            name="input"
            error={read.error ?? test.error}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <TextInput
            label="End user"
            hint="For whom the request is made. Empty: no end user, as in a web chat."
            name="end_user_ref"
            value={endUser}
            onChange={({ target }) => setEndUser(target.value)}
          />
          {test.error && <ErrorState error={test.error} />}
        </Form>
        <div aria-live="polite" className="min-w-0">
          {test.data ? (
            <TestResult of={test.data} />
          ) : (
            <p className="text-muted">The request and the response appear here. Secrets are masked.</p>
          )}
        </div>
      </div>
    </Section>
  )
}

const TestResult = ({ of: { ok, result, request, identity, response, duration_ms } }: { of: ToolTest }) => (
  <div className="flex flex-col gap-3">
    <div className="flex items-center gap-3">
      <Status word={ok ? "ok" : "error"} />
      <span className="text-muted">
        {response ? `Status ${response.status} in` : "Finished in"} {duration_ms.toLocaleString()} ms
      </span>
    </div>
    <h3>Result for the model</h3>
    <CodeBlock code={result} label="Result for the model" />
    {request && (
      <>
        <h3>Request</h3>
        <Json value={request} label="Request" />
      </>
    )}
    {identity && (
      <>
        <h3 className="flex items-center gap-3">
          Identity <Status word={identity.valid ? "confirmed" : "not_confirmed"} tone={identity.valid ? "ok" : "bad"} />
        </h3>
        <Json value={identity.claims} label="What your server reads from Turnpike-Identity" />
      </>
    )}
    {response && (
      <>
        <h3>Response</h3>
        <Json value={response} label="Response" />
      </>
    )}
  </div>
)
