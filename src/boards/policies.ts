/** The kinds of updates of a bot that say who is in a board. A bot gets the last two only if its webhook asks for them by name. */
export const BOARD_UPDATES = ["message", "chat_member", "my_chat_member"] as const

export const BOARD_POLICY = {
  /** How many people of a board are kept, those who have left included. Who comes later is not. */
  mostMembers: 5_000,
  /** How many boards of a bot are kept. Of those that are no space's chat the oldest goes: anybody may add a bot to a group. */
  mostBoards: 1_000,
  /** How many people of one update are taken; the platform adds fewer at once. */
  peoplePerUpdate: 200,
  titleLength: 200,
} as const
