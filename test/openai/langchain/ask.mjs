// Sends one message with LangChain.js as it is published, and prints the reply, or the error and its status.
import { ChatOpenAI } from "@langchain/openai"

const { BASE_URL, API_KEY, MODEL, END_USER, TEXT, OPTIONS } = process.env
const model = new ChatOpenAI({
  model: MODEL,
  apiKey: API_KEY,
  user: END_USER,
  configuration: { baseURL: `${BASE_URL}/v1/openai` },
  ...JSON.parse(OPTIONS ?? "{}"),
})
try {
  const { content } = await model.invoke(TEXT)
  console.log(JSON.stringify({ reply: content }))
} catch (error) {
  console.log(JSON.stringify({ status: error.status ?? null, message: error.message }))
}
