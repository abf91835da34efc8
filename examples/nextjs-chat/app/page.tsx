"use client"
import { useChat } from "@ai-sdk/react"
import { useState } from "react"

export default function Page() {
  const [text, setText] = useState("")
  const [tool, setTool] = useState("")
  const { messages, sendMessage, status, error } = useChat({
    onData: ({ type, data }) => type === "data-tool" && setTool((data as { name: string }).name),
    onFinish: () => setTool(""),
  })
  const isBusy = status === "submitted" || status === "streaming"
  return (
    <main>
      <h1>Support</h1>
      {messages.map(({ id, role, parts }) => (
        <p key={id}>
          <b>{role === "user" ? "You" : "Agent"}:</b> {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </p>
      ))}
      {isBusy && <p role="status">{tool ? `Using ${tool} …` : "Thinking …"}</p>}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text })
          setText("")
        }}
      >
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} required />
        <button type="submit" disabled={isBusy}>
          Send
        </button>
      </form>
    </main>
  )
}
