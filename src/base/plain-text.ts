/** C0 and C1 control characters, and characters that change the direction of the text after them. */
const HIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** The same in a text of several lines. */
const HIDDEN_IN_LINES = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/u

export const PLAIN_FAULT = "must not contain control characters or characters that change the direction of text"

/** True for a name or reference that a terminal, an email, a CSV file and a page show as it is. */
export const isPlain = (text: string): boolean => !HIDDEN.test(text)

/** True for a note whose only control characters are tabs and line breaks. */
export const isPlainNote = (text: string): boolean => !HIDDEN_IN_LINES.test(text)
