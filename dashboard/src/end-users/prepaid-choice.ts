/** How an end user can pay. `unset` says what applies if nothing is chosen. */
export const prepaidChoices = (unset: string) =>
  [
    ["", unset],
    ["true", "Prepaid: turns are paid from the wallet"],
    ["false", "Not prepaid"],
  ] as const

/** The setting of a choice; null if nothing is set. */
export const prepaidOf = (choice: string): boolean | null => (choice === "" ? null : choice === "true")
