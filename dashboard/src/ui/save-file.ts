/** Saves bytes as a file of the browser's downloads. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The download has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
