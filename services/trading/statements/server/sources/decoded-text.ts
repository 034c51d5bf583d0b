import iconv from 'iconv-lite'
import type { Encoding } from '../../statement-vocabulary.ts'
import { unreadableFile } from '../unreadable-statement.ts'

/** Bytes at the beginning of a file that show whether every other one is NUL. */
const SAMPLE = 1_000

/** Words of Russian statements. In other code pages of one byte nobody writes them. */
const RUSSIAN =
  /Сч[её]т|Сделк|Закрыт|Баланс|Прибыль|Время|Тикет|Объ[её]м|Комисси|Свободн|Средств|Валюта|Цена|Тип|Символ/i

/**
 * A text file in its encoding. Without a mark it is UTF-8, or UTF-16 where every other byte is NUL (as some save it), or
 * else a code page of one byte.
 *
 * @throws {UnreadableStatement} for what is no text.
 */
export function decodedText(bytes: Uint8Array): { readonly text: string; readonly encoding: Encoding } {
  const wide = wideEncoding(bytes)
  const text = textIn(bytes, wide ?? 'utf-8')
  const decoded =
    text === null ? (wide === null ? oneByteText(bytes) : null) : { text, encoding: wide ?? ('utf-8' as const) }
  if (!decoded || decoded.text.includes('\0')) throw unreadableFile('This is neither text, HTML nor a workbook (XLSX)')
  return decoded
}

function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE)
  const nuls = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = nuls
  if (odd > sample.length / 5 && even === 0) return 'utf-16le'
  return even > sample.length / 5 && odd === 0 ? 'utf-16be' : null
}

/** Null for bytes that are not in this encoding. A byte order mark is no part of the text. */
function textIn(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): string | null {
  const narrow = encoding === 'utf-16le' ? narrowText(bytes) : null
  if (narrow !== null) return narrow
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** UTF-16 that has only Latin letters, as most has: the text takes half the memory, and half the time to read. */
function narrowText(bytes: Uint8Array): string | null {
  const start = bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 0
  if (bytes.length % 2 === 1) return null
  const letters = Buffer.allocUnsafe((bytes.length - start) / 2)
  for (let index = start; index < bytes.length; index += 2) {
    if (bytes[index + 1] !== 0) return null
    letters[(index - start) >> 1] = bytes[index] ?? 0
  }
  return letters.toString('latin1')
}

/** Node's own decoder has windows-1252 without the characters that Latin-1 lacks, such as the sign of the euro. */
function oneByteText(bytes: Uint8Array): { readonly text: string; readonly encoding: Encoding } {
  const russian = iconv.decode(bytes, 'windows-1251')
  if (RUSSIAN.test(russian)) return { text: russian, encoding: 'windows-1251' }
  return { text: iconv.decode(bytes, 'windows-1252'), encoding: 'windows-1252' }
}
