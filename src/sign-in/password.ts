import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

/** scrypt N=2^15, r=8, p=3 (design section 7); it takes 32 MiB, above Node's default bound. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

/** What a password is compared with where there is none: it fits nothing, and takes the same time. */
const NOBODY = ["scrypt", COST.N, COST.r, COST.p, "A".repeat(22), `${"A".repeat(43)}=`].join("$")

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST)
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), hash.toString("base64")].join("$")
}

/**
 * Whether a password is the one of a hash that `hashPassword` made; null: of nobody, or of somebody without one. It is always
 * the same work, so that the time tells nothing.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? NOBODY).split("$")
  const derived = await derive(password, Buffer.from(salt, "base64"), {
    ...COST,
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  const expected = Buffer.from(hash, "base64")
  return expected.length === derived.length && timingSafeEqual(expected, derived) && stored !== null
}

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
