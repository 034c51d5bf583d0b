import { crc32 } from 'node:zlib'
import { unzipSync } from 'fflate'
import { LargeStatement, unreadableFile } from '../unreadable-statement.ts'

const MOST_PARTS = 500
const MOST_UNPACKED = 40 * 1024 * 1024

/** An entry of the directory at the end of a ZIP, and the end of that directory (APPNOTE.TXT of PKWARE, 4.3). */
const ENTRY = 0x02014b50
const END = 0x06054b50
const ENTRY_LENGTH = 46
const END_LENGTH = 22
const LONGEST_COMMENT = 65_535

const BROKEN = 'This workbook is broken: please export or save it again'

/**
 * The parts of a ZIP that are wanted, by their names. What all parts claim to be unpacked is added up before one is, and
 * none becomes larger than it claims.
 *
 * @throws {UnreadableStatement} {@link LargeStatement}
 */
export function zipParts(bytes: Uint8Array, names: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const claims = claimsIn(bytes)
  let unpacked = 0
  for (const { size } of claims.values()) unpacked += size
  if (unpacked > MOST_UNPACKED) throw new LargeStatement()
  const parts = new Map(Object.entries(unzipped(bytes, names)))
  for (const [name, part] of parts) {
    const claim = claims.get(name)
    if (!claim || part.length !== claim.size || crc32(part) !== claim.checksum) throw unreadableFile(BROKEN)
  }
  return parts
}

function unzipped(bytes: Uint8Array, names: readonly string[]): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes, { filter: ({ name }) => names.includes(name) })
  } catch {
    throw unreadableFile(BROKEN)
  }
}

interface Claim {
  readonly size: number
  readonly checksum: number
}

/** What the directory says of each part. */
function claimsIn(bytes: Uint8Array): ReadonlyMap<string, Claim> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - END_LENGTH
  const first = Math.max(0, end - LONGEST_COMMENT)
  while (end >= first && view.getUint32(end, true) !== END) end -= 1
  if (end < first) throw unreadableFile(BROKEN)
  const count = view.getUint16(end + 10, true)
  if (count > MOST_PARTS) throw new LargeStatement()
  const claims = new Map<string, Claim>()
  let place = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (place + ENTRY_LENGTH > end || view.getUint32(place, true) !== ENTRY) throw unreadableFile(BROKEN)
    const entry = place
    const lengthAt = (field: number) => view.getUint16(entry + field, true)
    const [start, length] = [entry + ENTRY_LENGTH, lengthAt(28)]
    const name = new TextDecoder().decode(bytes.subarray(start, start + length))
    claims.set(name, { size: view.getUint32(entry + 24, true), checksum: view.getUint32(entry + 16, true) })
    place = start + length + lengthAt(30) + lengthAt(32)
  }
  return claims
}
