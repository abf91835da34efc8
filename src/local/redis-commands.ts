/** Where a command has its keys: at these positions, from a position to the end, or after their number. */
type Keys = { at: readonly number[] } | { from: number } | { behind: number }

const FIRST = [
  ..."append decr decrby expire expireat get getdel getex getrange getset incr incrby incrbyfloat persist pexpire".split(
    " ",
  ),
  ..."pexpireat psetex pttl set setex setnx setrange strlen ttl type".split(" "),
  ..."hdel hexists hget hgetall hincrby hincrbyfloat hkeys hlen hmget hmset hscan hset hsetnx hvals".split(" "),
  ..."lindex linsert llen lpop lpos lpush lpushx lrange lrem lset ltrim rpop rpush rpushx".split(" "),
  ..."sadd scard sismember smembers smismember spop srandmember srem sscan".split(" "),
  ..."zadd zcard zcount zincrby zmscore zpopmax zpopmin zrange zrangebyscore zrank zrem zremrangebyrank".split(" "),
  ..."zremrangebyscore zrevrange zrevrangebyscore zrevrank zscan zscore".split(" "),
]

/**
 * The commands that are safe on a shared connection. Commands that change its state (MULTI, SELECT, SUBSCRIBE) or
 * block it (BLPOP) are missing. `subscribe` has a connection of its own (redis.ts).
 */
const COMMANDS = new Map<string, Keys>([
  ...FIRST.map((name) => [name, { at: [1] }] as const),
  ...["del", "exists", "mget", "touch", "unlink"].map((name) => [name, { from: 1 }] as const),
  ["publish", { at: [1] }],
  ...["copy", "lmove", "rename", "renamenx", "smove"].map((name) => [name, { at: [1, 2] }] as const),
  ...["eval", "evalsha"].map((name) => [name, { behind: 2 }] as const),
  ...["echo", "ping", "script", "time"].map((name) => [name, { at: [] }] as const),
])

/** Adds the prefix to each key of a command. Null if the command is not available. */
export function withPrefix(words: string[], prefix: string): string[] | null {
  const keys = COMMANDS.get(words[0]?.toLowerCase() ?? "")
  if (!keys) return null
  const isKey = (position: number) => {
    if ("at" in keys) return keys.at.includes(position)
    if ("from" in keys) return position >= keys.from
    return position > keys.behind && position <= keys.behind + Number(words[keys.behind])
  }
  return words.map((word, position) => (isKey(position) ? prefix + word : word))
}
