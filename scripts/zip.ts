import { crc32 } from "node:zlib"

/** 1980-01-01, the first day of the format, so that equal files give equal archives. */
const DATE = 0x0021
const UTF8_NAMES = 0x0800
const VERSION = 20
/** Regular files that everyone may read, as Unix writes them (mode 0100644). */
const MODE = 0o100644 * 0x10000
const MADE_ON_UNIX = 0x0300

/**
 * A ZIP archive of files. They are not compressed, because compressors of other machines and releases give other
 * bytes.
 */
export function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, bytes] of files) {
    const name = Buffer.from(path)
    const common = commonFields(name, bytes)
    const local = Buffer.concat([numbers([0x04034b50, 4]), common, name])
    parts.push(local, bytes)
    directory.push(
      numbers([0x02014b50, 4], [VERSION + MADE_ON_UNIX, 2]),
      common,
      numbers([0, 2], [0, 2], [0, 2], [MODE, 4], [offset, 4]),
      name,
    )
    offset += local.length + bytes.length
  }
  const index = Buffer.concat(directory)
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.size, 2],
    [files.size, 2],
    [index.length, 4],
    [offset, 4],
    [0, 2],
  )
  return Buffer.concat([...parts, index, end])
}

/** The fields that a file's header and its entry in the directory share, up to the lengths of name and extra field. */
const commonFields = (name: Buffer, bytes: Buffer) =>
  numbers(
    [VERSION, 2],
    [UTF8_NAMES, 2],
    [0, 2],
    [0, 2],
    [DATE, 2],
    [crc32(bytes), 4],
    [bytes.length, 4],
    [bytes.length, 4],
    [name.length, 2],
    [0, 2],
  )

/** Numbers in little endian, each with its number of bytes. */
function numbers(...fields: [value: number, bytes: 2 | 4][]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes)
      if (bytes === 2) field.writeUInt16LE(value)
      else field.writeUInt32LE(value)
      return field
    }),
  )
}
