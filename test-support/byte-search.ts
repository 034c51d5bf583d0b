import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Searches files for a text in any encoding. */

/** An encoding of a text and its bytes. */
export interface Form {
  readonly encoding: Encoding
  readonly bytes: Buffer
}

export const encodings = ['UTF-8', 'UTF-16 LE', 'UTF-16 BE', 'base64', 'hex', 'URL'] as const
export type Encoding = (typeof encodings)[number]

/**
 * All forms of a text to search for: as it is and in either letter case, base64 in both alphabets at each of the three
 * offsets, hex in both letter cases, and URL encoding of the necessary and of all characters.
 */
export function formsOf(text: string): readonly Form[] {
  const forms = new Map<string, Form>()
  const add = (encoding: Encoding, bytes: Buffer) =>
    void forms.set(`${encoding} ${bytes.toString('hex')}`, { encoding, bytes })
  for (const each of new Set([text, text.toUpperCase(), text.toLowerCase()])) {
    const bytes = Buffer.from(each)
    const [little, hex] = [Buffer.from(each, 'utf16le'), bytes.toString('hex')]
    add('UTF-8', bytes)
    add('UTF-16 LE', little)
    add('UTF-16 BE', Buffer.from(little).swap16())
    for (const alphabet of ['base64', 'base64url'] as const)
      for (const before of [0, 1, 2]) add('base64', Buffer.from(base64Inside(bytes, before, alphabet)))
    const spelled = hex.replaceAll(/../g, '%$&')
    for (const written of [hex, hex.toUpperCase()]) add('hex', Buffer.from(written))
    const encoded = encodeURIComponent(each)
    const lower = (address: string) => address.replaceAll(/%../g, (byte) => byte.toLowerCase())
    for (const written of [encoded, lower(encoded), encoded.replaceAll('%20', '+'), spelled, spelled.toUpperCase()])
      add('URL', Buffer.from(written))
  }
  return [...forms.values()]
}

/** The base64 digits of a text after this many bytes, without the digits it shares with its neighbours. */
function base64Inside(bytes: Buffer, before: number, alphabet: 'base64' | 'base64url'): string {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet)
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}

/** What a search read and found. */
export interface SearchResult {
  readonly files: number
  readonly bytes: number
  readonly finds: readonly Match[]
}

export interface Match {
  /** The name of the text: 'email'. */
  readonly what: string
  readonly encoding: Encoding
  /** The file, relative to the folder. */
  readonly file: string
}

/** Searches every byte and the name of every file below a folder. Files removed meanwhile are skipped. */
export async function searchFolder(folder: string, texts: Readonly<Record<string, string>>): Promise<SearchResult> {
  const wanted = Object.entries(texts).map(([what, text]) => ({ what, forms: formsOf(text) }))
  const finds: Match[] = []
  let [files, bytes] = [0, 0]
  for (const path of await filesBelow(folder)) {
    const name = relative(folder, path)
    const content = await readFile(path).catch(gone)
    if (content === undefined) continue
    files += 1
    bytes += content.length
    const searched = [content, Buffer.from(name)]
    for (const { what, forms } of wanted)
      for (const { encoding, bytes: form } of forms)
        if (searched.some((each) => each.includes(form))) finds.push({ what, encoding, file: name })
  }
  return { files, bytes, finds: unique(finds) }
}

/** Searches a text, such as the output of a process. */
export function searchText(text: string, texts: Readonly<Record<string, string>>): readonly Match[] {
  const content = Buffer.from(text)
  return unique(
    Object.entries(texts).flatMap(([what, wanted]) =>
      formsOf(wanted).flatMap(({ encoding, bytes }) =>
        content.includes(bytes) ? [{ what, encoding, file: 'output' }] : [],
      ),
    ),
  )
}

function unique(finds: readonly Match[]): Match[] {
  return [...new Map(finds.map((find) => [`${find.what} ${find.encoding} ${find.file}`, find])).values()]
}

/** Folders may be removed while they are listed. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(gone)) ?? []
  const paths = entries.map((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  )
  return (await Promise.all(paths)).flat()
}

function gone(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
