import { type CaseFileType, caseFileTypes } from '#services/trading/stream/case-vocabulary.ts'

/** A file of a case "is known by its content": what it is called and declared only must not say that it is another. */

/** How each type begins, and the endings of names that say it. */
const types: Readonly<
  Record<CaseFileType, { readonly begins: readonly number[]; readonly endings: readonly string[] }>
> = {
  'application/pdf': { begins: [...Buffer.from('%PDF-')], endings: ['pdf'] },
  'image/png': { begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], endings: ['png'] },
  'image/jpeg': { begins: [0xff, 0xd8, 0xff], endings: ['jpg', 'jpeg'] },
  'text/html': { begins: [], endings: ['html', 'htm'] },
  'text/csv': { begins: [], endings: ['csv'] },
}

/** The type of some bytes; undefined for none of the five, and for nothing at all. */
export function typeOfContent(content: Uint8Array): CaseFileType | undefined {
  if (content.length === 0) return undefined
  const known = caseFileTypes.find((type) => {
    const { begins } = types[type]
    return begins.length > 0 && begins.every((byte, n) => content[n] === byte)
  })
  if (known) return known
  const text = textOf(content)
  if (text === undefined || text.trim() === '') return undefined
  return /^\s*(<!doctype html|<html|<head|<body|<\?xml|<!--)/i.test(text) ? 'text/html' : 'text/csv'
}

/** Whether a name or a declared type says that it is another of the five. */
export function saysAnother(type: CaseFileType, name: string, declared: string): boolean {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const others = caseFileTypes.filter((other) => other !== type)
  return others.some((other) => types[other].endings.includes(ending) || declared.toLowerCase().startsWith(other))
}

/** "Text in UTF-8, UTF-16 with its mark, or one byte a character; no control characters but tab and line ends." */
function textOf(content: Uint8Array): string | undefined {
  const text = decoded(content)
  // oxlint-disable-next-line no-control-regex -- these are what no text has
  return text === undefined || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? undefined : text
}

function decoded(content: Uint8Array): string | undefined {
  const [first, second] = content
  if (first === 0xff && second === 0xfe) return textIn('utf-16le', content)
  if (first === 0xfe && second === 0xff) return textIn('utf-16be', content)
  return textIn('utf-8', content) ?? textIn('windows-1252', content)
}

function textIn(encoding: string, content: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

/** "Names lose paths and what nobody sees." Never empty. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const seen = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '').trim()
  return (seen === '' ? 'file' : seen).slice(0, 200)
}
