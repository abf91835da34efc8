import { useSearch } from "@tanstack/react-router"
import { type KeyboardEvent, Suspense } from "react"
import type { CreateChatTurn, SpaceSummary } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { keepSentTurn, SENT_READS } from "../turns/sent-turns.ts"
import { installCommand, pipCommand, turnAsPython, turnAsTypeScript } from "../turns/turn-code.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { exportBaseUrl, turnCurl } from "../ui/commands.ts"
import { useDraft } from "../ui/draft.ts"
import { ErrorState, useCountdown } from "../ui/error-state.tsx"
import { Form, Select, TextArea, TextInput } from "../ui/field.tsx"
import { useSettled } from "../ui/figures.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { SpacePicker } from "../ui/pickers.tsx"
import { formatOf, isResultReady, ResultFields, resultDraftOf } from "../ui/result-fields.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { useCallerTools } from "./caller-tools.tsx"
import { EstimateResult } from "./estimate-result.tsx"
import { useTextOfTurn } from "./text-of-turn.ts"
import { AFRESH, TurnExtras, useTurnExtras } from "./turn-extras.tsx"
import { useTurnSettings } from "./turn-settings.tsx"

const EndUserProfile = lazyPart(() =>
  import("../end-users/profile-section.tsx").then((module) => ({ default: module.EndUserProfileSection })),
)

export type PlaygroundSpace = Pick<SpaceSummary, "space_id" | "title" | "role">

/** The name of a conversation that starts with this turn. */
const newConversation = () => `playground-${Date.now().toString(36)}`

const NOTHING = { text: "", begins: "", from: "" }

/** The form of a turn: its space, models, end user, files, maximum cost and text. */
export function Composer({ space }: { space: PlaygroundSpace }) {
  const { test, conversation, other, model = "", text: linked = "" } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  const tested = { test: test && ("true" as const) }
  const models = useRead("listModels", { query: tested })
  const { compare, extras } = useTurnExtras()
  const draft = useDraft("playground", { quiet: true })
  // `begins` is the name of the conversation that the text would begin. It stays the same for a second attempt. `from`
  // is the turn whose text was filled in.
  const [typed, setTyped] = draft.useField("typed", NOTHING)
  const text = typed.text || linked
  const begins = typed.begins || (text && newConversation())
  const { from } = typed
  useTextOfTurn(from, (copied, turn) => setTyped({ text: copied, begins, from: turn }))
  const [most, setMost] = draft.useField("most", "")
  const { settings, fields } = useTurnSettings(draft)
  const [result, setResult] = draft.useField("format", resultDraftOf())
  const format = formatOf(result)
  const tools = useCallerTools(draft)
  const send = useChange("createChatTurn", { changes: SENT_READS, draft })
  const sendOther = useChange("createChatTurn", { changes: SENT_READS })
  const estimate = useChange("estimateChatTurn", { changes: [] })
  const wait = useCountdown(send.error)
  const onStream = (response: Response) => keepSentTurn(response, tested)
  const asked: CreateChatTurn = {
    space: space.space_id,
    text,
    ...(model && { model }),
    ...(most.trim() && { max_cost_usd: Number(most) }),
    ...settings,
    ...(format && { response_format: format }),
    ...tools.asked,
    ...(conversation && { conversation }),
    ...extras,
  }
  const isEmpty = text.trim() === "" || !isResultReady(result) || !tools.isReady
  const submit = () => {
    if (isEmpty || send.isPending || wait > 0) return
    estimate.reset()
    const name = conversation ?? begins
    send.mutate(
      { query: tested, body: { ...asked, conversation: name }, onStream },
      {
        onSuccess: (turn) => {
          setTyped({ ...NOTHING, from })
          draft.clear()
          change({ space: space.space_id, conversation: turn.conversation, turn: turn.turn_id, text: undefined })
          // The second model is asked only once the first turn is accepted, so a rejected text is not billed.
          if (compare) askOther(other ?? `${name}-compared`)
        },
      },
    )
  }
  const askOther = (name: string) =>
    sendOther.mutate(
      { query: tested, body: { ...asked, model: compare, conversation: name }, onStream },
      { onSuccess: (turn) => change({ other: turn.conversation }) },
    )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    submit()
  }
  return (
    <>
      <Form
        label="A turn"
        onSubmit={submit}
        actions={
          <>
            <Button kind="primary" type="submit" busy={send.isPending} disabled={isEmpty || wait > 0}>
              {wait > 0 ? `Send in ${wait} s` : "Send"}
            </Button>
            <Button
              busy={estimate.isPending}
              disabled={isEmpty}
              onClick={() => estimate.mutate({ query: tested, body: asked })}
            >
              Estimate
            </Button>
          </>
        }
      >
        <SpacePicker
          label="Space"
          value={space.space_id}
          title={space.title}
          test={test}
          onChange={(id) => change({ space: id, ...AFRESH, files: undefined })}
        />
        <div className="grid grid-cols-2 gap-3">
          <Select
            label="Model"
            name="model"
            error={send.error}
            value={model}
            onChange={({ target }) => change({ model: target.value || undefined })}
            options={[
              ["", "Space default"],
              ...(models.data?.data.map(({ pin, label }) => [pin, label] as const) ?? []),
            ]}
          />
          <TextInput
            label="Max cost (USD)"
            name="max_cost_usd"
            error={send.error}
            inputMode="decimal"
            placeholder="no limit"
            autoComplete="off"
            value={most}
            onChange={({ target }) => setMost(target.value)}
          />
        </div>
        {fields(send.error)}
        <ResultFields value={result} onChange={setResult} error={send.error} none="Space default" />
        {tools.fields(send.error)}
        <TurnExtras spaceId={space.space_id} isOwner={space.role === "owner"} error={send.error} />
        <TextArea
          label="Text"
          name="text"
          rows={6}
          error={send.error}
          placeholder="Ask the agent something"
          hint="Ctrl+Enter or ⌘+Enter sends the turn."
          value={text}
          // Text that is typed while a turn is sent would be lost with it.
          readOnly={send.isPending}
          onKeyDown={onKeyDown}
          onChange={({ target }) =>
            setTyped({ text: target.value, begins: target.value && (begins || newConversation()), from })
          }
        />
        {send.error && <ErrorState error={send.error} />}
        {sendOther.error && (
          <>
            <p className="text-bad">The second model was not asked:</p>
            <ErrorState error={sendOther.error} />
          </>
        )}
        {estimate.error && <ErrorState error={estimate.error} />}
        {estimate.data && <EstimateResult estimate={estimate.data} />}
      </Form>
      <div className="order-last flex min-w-0 flex-col gap-6 lg:order-none">
        {space.role === "owner" && <ChosenProfile />}
        <AsCode asked={asked} />
      </div>
    </>
  )
}

const PAUSE_MS = 400

/** The profile of the chosen end user, once the id is typed. The next turn has its facts. */
function ChosenProfile() {
  const { test, as = "" } = useSearch({ from: "/app/playground" })
  const ref = useSettled(as, PAUSE_MS)
  return (
    ref !== "" &&
    ref === as && (
      <Suspense>
        <EndUserProfile key={ref} endUserRef={ref} test={test} />
      </Suspense>
    )
  )
}

/** The code with which a server sends the same turn. */
function AsCode({ asked: { conversation: _own, ...asked } }: { asked: CreateChatTurn }) {
  const { tab = "curl" } = useSearch({ from: "/app/playground" })
  const turn = { end_user_ref: "customer-1", ...asked, text: asked.text || "Where is my order?" }
  return (
    <Tabs
      label="From your server"
      value={tab}
      tabs={[
        {
          value: "curl",
          label: "As curl",
          content: () => <CodeBlock code={`${exportBaseUrl()}\n\n${turnCurl(turn)}`} label="As curl" />,
        },
        {
          value: "typescript",
          label: "As TypeScript",
          content: () => (
            <div className="flex flex-col gap-2">
              <CodeBlock code={`${exportBaseUrl()}\n${installCommand()}`} label="The installation of the client" />
              <CodeBlock code={turnAsTypeScript(turn)} label="As TypeScript" />
            </div>
          ),
        },
        {
          value: "python",
          label: "As Python",
          content: () => (
            <div className="flex flex-col gap-2">
              <CodeBlock code={`${exportBaseUrl()}\n${pipCommand()}`} label="The installation of the Python client" />
              <CodeBlock code={turnAsPython(turn)} label="As Python" />
            </div>
          ),
        },
      ]}
    />
  )
}
