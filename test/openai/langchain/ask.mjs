// Sends one message with LangChain.js as it is published, and prints the reply or the output, or the error and its status.
import { ChatOpenAI } from "@langchain/openai"

const { BASE_URL, API_KEY, MODEL, END_USER, TEXT, OPTIONS, SCHEMA } = process.env
const model = new ChatOpenAI({
  model: MODEL,
  apiKey: API_KEY,
  user: END_USER,
  configuration: { baseURL: `${BASE_URL}/v1/openai` },
  ...JSON.parse(OPTIONS ?? "{}"),
})
try {
  if (SCHEMA) {
    const structured = model.withStructuredOutput(JSON.parse(SCHEMA), { name: "place", method: "jsonSchema" })
    console.log(JSON.stringify({ output: await structured.invoke(TEXT) }))
  } else {
    const { content } = await model.invoke(TEXT)
    console.log(JSON.stringify({ reply: content }))
  }
} catch (error) {
  console.log(JSON.stringify({ status: error.status ?? null, message: error.message }))
}
