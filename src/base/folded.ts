/**
 * A text as searches and unique names compare it: in lower case and in NFC, with one form of sigma. The function
 * `folded` in schema.sql does the same.
 */
export const folded = (text: string): string => text.toLowerCase().replaceAll("ς", "σ").normalize("NFC")
