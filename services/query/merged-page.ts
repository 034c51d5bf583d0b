import { z } from 'zod'
import { BadCursor, type Query } from '../../infra/read-model-store/read-model-store.ts'
import type { DocumentPage } from '../event-sourcing/projections/read-models.ts'

/** Where pages come from: the same documents in the same order, whenever it is asked. */
export interface PageSource<Doc> {
  find(page: Pick<Query, 'limit' | 'cursor'>): Promise<DocumentPage<Doc>>
  /** What another source has already. */
  readonly exclude?: (document: Doc) => boolean
}

export interface Merge<Doc> {
  readonly sources: readonly PageSource<Doc>[]
  /** The order that all sources are in. */
  readonly isBefore: (one: Doc, other: Doc) => boolean
  readonly limit: number
  readonly cursor: string | undefined
}

/** Where a source goes on: at its cursor, at its beginning (''), or nowhere any more (null). */
const cursorPosition = z.string().nullable()

/** A page of what several sources have, in their order. Its cursor holds one of each source. @throws {BadCursor} */
export async function mergedPage<Doc>({ sources, isBefore, limit, cursor }: Merge<Doc>): Promise<DocumentPage<Doc>> {
  const places = cursor === undefined ? sources.map(() => '') : fromCursor(cursor, sources.length)
  const readers = sources.map((source, n) => createSourceReader(source, places[n] ?? null, limit))
  const documents: Doc[] = []
  for (;;) {
    let first: { readonly head: Doc; readonly take: () => void } | undefined
    for (const { head, take } of readers) {
      const document = await head()
      if (document !== undefined && (!first || isBefore(document, first.head))) first = { head: document, take }
    }
    if (!first) return { documents, next: undefined }
    if (documents.length === limit) return { documents, next: toCursor(await Promise.all(readers.map((reader) => reader.place()))) }
    documents.push(first.head)
    first.take()
  }
}

function createSourceReader<Doc>({ find, exclude = () => false }: PageSource<Doc>, from: string | null, limit: number) {
  /** The page in hand begins here. */
  let begins = from
  let page: DocumentPage<Doc> | undefined
  let taken = 0
  const at = (cursor: string) => (cursor === '' ? {} : { cursor })

  return {
    /** The next document, undefined at the end. */
    async head(): Promise<Doc | undefined> {
      while (begins !== null) {
        page ??= await find({ limit, ...at(begins) })
        const document = page.documents[taken]
        if (document !== undefined && !exclude(document)) return document
        if (document !== undefined) {
          taken += 1
          continue
        }
        begins = page.next ?? null
        page = undefined
        taken = 0
      }
      return undefined
    },
    take() {
      taken += 1
    },
    /** Where the next page begins: a cursor in the middle of the page in hand is what a shorter page ends with. */
    async place(): Promise<string | null> {
      if (begins === null || taken === 0) return begins
      const { next } = await find({ limit: taken, ...at(begins) })
      return next ?? null
    },
  }
}

function toCursor(places: readonly (string | null)[]): string {
  return Buffer.from(JSON.stringify(places)).toString('base64url')
}

function fromCursor(cursor: string, count: number): (string | null)[] {
  try {
    return z
      .array(cursorPosition)
      .length(count)
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (error) {
    throw new BadCursor('This is no cursor', { cause: error })
  }
}
