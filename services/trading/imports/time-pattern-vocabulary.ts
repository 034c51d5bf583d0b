/** How a statement writes times: YYYY.MM.DD HH:mm:ss. A file of its own, since forms check it too. */

const partPatterns = {
  YYYY: String.raw`(\d{4})`,
  MM: String.raw`(\d{1,2})`,
  DD: String.raw`(\d{1,2})`,
  HH: String.raw`(\d{1,2})`,
  mm: String.raw`(\d{2})`,
  ss: String.raw`(\d{2})`,
  SSS: String.raw`(\d{3})`,
} as const
export type Part = keyof typeof partPatterns

const PART = /YYYY|MM|DD|HH|mm|SSS|ss/g

/** Describes the fault of a pattern of times; null for one that can be read. */
export function patternFault(pattern: string): string | null {
  const parts: readonly string[] = normal(pattern).match(PART) ?? []
  if (new Set(parts).size !== parts.length) return 'expected each part once'
  for (const part of ['YYYY', 'MM', 'DD']) if (!parts.includes(part)) return 'expected YYYY, MM and DD'
  if (parts.includes('HH') !== parts.includes('mm')) return 'expected HH and mm together'
  if (parts.includes('ss') && !parts.includes('HH')) return 'expected ss after HH and mm'
  if (parts.includes('SSS') && !parts.includes('ss')) return 'expected SSS after ss'
  return /[a-z]/i.test(normal(pattern).replaceAll(PART, '').replaceAll('T', ''))
    ? 'expected only YYYY, MM, DD, HH, mm, ss, SSS and separators'
    : null
}

/** Years and days are also written in small letters. */
function normal(pattern: string): string {
  return pattern.replaceAll('yyyy', 'YYYY').replaceAll('dd', 'DD')
}

/** Matches what the pattern says, with a group for each part. */
export function compiledPattern(pattern: string): { readonly expression: RegExp; readonly parts: readonly Part[] } {
  const parts: Part[] = []
  const text = normal(pattern)
  let expression = ''
  let end = 0
  for (const match of text.matchAll(PART)) {
    const part = partOf(match[0])
    parts.push(part)
    expression += escaped(text.slice(end, match.index)) + partPatterns[part]
    end = match.index + match[0].length
  }
  return { expression: new RegExp(`^${expression}${escaped(text.slice(end))}$`), parts }
}

function partOf(text: string): Part {
  for (const part of ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss', 'SSS'] as const) if (part === text) return part
  throw new TypeError(`${text} is no part of a time`)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}
