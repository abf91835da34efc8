import { undoData } from "./bot-update.ts"
import type { WebLogin } from "./web-login.ts"

/**
 * A call of the platform's Bot API, sent as the response to an update ("Making requests when getting
 * updates"). The platform makes the call itself, so the bot's token is not sent. `{}` requests no call.
 */
export type BotReply = { method?: string } & Record<string, unknown>

/** Sends plain text without markup or link previews. */
export const say = (chatId: number, text: string, markup: object = {}): BotReply => ({
  method: "sendMessage",
  chat_id: chatId,
  text,
  link_preview_options: { is_disabled: true },
  ...markup,
})

/** Ends the waiting state of a pressed button and shows a text in front of the chat. */
export const answerButton = (queryId: string, text: string): BotReply => ({
  method: "answerCallbackQuery",
  callback_query_id: queryId,
  text,
  show_alert: true,
})

export const undoButton = (token: string) => ({
  reply_markup: { inline_keyboard: [[{ text: "It was not me", callback_data: undoData(token) }]] },
})

/** Describes where a login was requested, in our own words: the browser's user agent is never repeated. */
export function describeLogin({ host, user_agent, address, country, started_at }: WebLogin): string {
  const location = [address, country && countryName(country)].filter(Boolean).join(", ")
  return [
    `You are signing in to ${host}.`,
    "",
    `Browser: ${browserName(user_agent ?? "")}`,
    ...(location ? [`Address: ${location}`] : []),
    `Time: ${started_at.slice(0, 16).replace("T", " ")} UTC`,
    "",
    "If you did not request this, press the button. It ends all sessions of your account.",
  ].join("\n")
}

const countryName = (code: string) => new Intl.DisplayNames(["en"], { type: "region" }).of(code) ?? code

/** The order matters: a user agent also contains the names that follow its own in this list. */
const BROWSERS = {
  Edg: "Edge",
  OPR: "Opera",
  Firefox: "Firefox",
  FxiOS: "Firefox",
  Chrome: "Chrome",
  CriOS: "Chrome",
  Safari: "Safari",
}
const SYSTEMS = {
  Android: "Android",
  iPhone: "iPhone",
  iPad: "iPad",
  Windows: "Windows",
  "Mac OS X": "macOS",
  CrOS: "ChromeOS",
  Linux: "Linux",
}

function browserName(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => Object.entries(names).find(([mark]) => userAgent.includes(mark))?.[1],
  )
  return [browser ?? "unknown", ...(system ? [`on ${system}`] : [])].join(" ")
}
