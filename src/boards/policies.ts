/** The kinds of bot updates that report members. The platform sends the last two only if a webhook asks for them. */
export const BOARD_UPDATES = ["message", "chat_member", "my_chat_member"] as const

export const BOARD_POLICY = {
  /** The maximum number of people stored per board, including people who left. Further people are not stored. */
  mostMembers: 5_000,
  /** The maximum number of boards per bot. Any user can add a bot to groups, so boards without a space are deleted. */
  mostBoards: 1_000,
  /** The maximum number of people in one update. The platform adds fewer at once. */
  peoplePerUpdate: 200,
  titleLength: 200,
} as const
