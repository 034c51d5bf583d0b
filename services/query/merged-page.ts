import { z } from 'zod'
import { BadCursor, type Query } from '../../infra/read-model-store/read-model-store.ts'
import type { DocumentPage } from '../event-sourcing/read-models/read-model-reader.ts'

/** A source of pages: the same documents in the same order each time. */
export interface PageSource<Doc> {
  find(page: Pick<Query, 'limit' | 'cursor'>): Promise<DocumentPage<Doc>>
  /** Skips documents that another source has. */
  readonly exclude?: (document: Doc) => boolean
}

export interface Merge<Doc> {
  readonly sources: readonly PageSource<Doc>[]
  /** The order of all sources. */
  readonly isBefore: (one: Doc, other: Doc) => boolean
  readonly limit: number
  readonly cursor: string | undefined
}

/** Where a source continues: at its cursor, at its beginning (''), or nowhere (null). */
const cursorPosition = z.string().nullable()

/** Merges pages of several sources in order. The cursor combines the cursors of all sources. @throws {BadCursor} */
export async function mergedPage<Doc>({ sources, isBefore, limit, cursor }: Merge<Doc>): Promise<DocumentPage<Doc>> {
  const cursors = cursor === undefined ? sources.map(() => '') : fromCursor(cursor, sources.length)
  const readers = sources.map((source, n) => createSourceReader(source, cursors[n] ?? null, limit))
  const documents: Doc[] = []
  for (;;) {
    let first: { readonly head: Doc; readonly take: () => void } | undefined
    for (const { head, take } of readers) {
      const document = await head()
      if (document !== undefined && (!first || isBefore(document, first.head))) first = { head: document, take }
    }
    if (!first) return { documents, next: undefined }
    if (documents.length === limit) return { documents, next: toCursor(await Promise.all(readers.map((reader) => reader.nextCursor()))) }
    documents.push(first.head)
    first.take()
  }
}

function createSourceReader<Doc>({ find, exclude = () => false }: PageSource<Doc>, from: string | null, limit: number) {
  /** The cursor of the current page. */
  let begins = from
  let page: DocumentPage<Doc> | undefined
  let taken = 0
  const at = (cursor: string) => (cursor === '' ? {} : { cursor })

  return {
    /** The next document, undefined at the end. */
    async head(): Promise<Doc | undefined> {
      while (begins !== null) {
        page ??= await find({ limit, ...at(begins) })
        const next = page.documents.findIndex((document, index) => index >= taken && !exclude(document))
        if (next >= 0) {
          taken = next
          return page.documents[next]
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
    /** Where the next page begins. Inside the current page, a shorter page yields the cursor. */
    async nextCursor(): Promise<string | null> {
      if (begins === null || taken === 0) return begins
      const { next } = await find({ limit: taken, ...at(begins) })
      return next ?? null
    },
  }
}

function toCursor(cursors: readonly (string | null)[]): string {
  return Buffer.from(JSON.stringify(cursors)).toString('base64url')
}

function fromCursor(cursor: string, count: number): (string | null)[] {
  try {
    return z
      .array(cursorPosition)
      .length(count)
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (error) {
    throw new BadCursor('Invalid cursor', { cause: error })
  }
}
