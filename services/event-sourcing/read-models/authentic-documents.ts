import type {
  Document,
  DocumentStore,
  DocumentWrite,
  ProjectionStore,
  StoredDocument,
} from '#infra/read-model-store/read-model-store.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { rebuildRequest } from './blue-green-rebuild.ts'

/**
 * Documents that only the portal can have written: each carries a MAC over its collection, its id, its position and its
 * content. One with another MAC counts as absent. What a MAC cannot see, a row that was deleted or an older one put
 * back, the worker's rounds find: read-model-comparison.ts.
 */

/** The field of a stored document that holds its position and the MAC. No projection can name it. */
const MAC_FIELD = '~mac'

export interface DocumentAuthentication {
  /** MAC of a document's content at a position, in base64url. */
  readonly documentMac: (collection: string, id: string, position: string, content: string) => string
  /** Called with what the portal did not write, each time that it is met. */
  readonly onForged: (collection: string, id: string) => void
}

/** A store that signs what it writes, and leaves out what it did not write. */
export function withAuthenticDocuments(
  store: DocumentStore,
  { documentMac, onForged }: DocumentAuthentication,
): DocumentStore {
  /** The contents of documents that were checked. Adapters return the same object while a row is the same. */
  const checked = new WeakMap<Document, Document>()

  const signed = (collection: string, { id, document, position, ...write }: DocumentWrite): DocumentWrite => ({
    ...{ id, position, ...write },
    document: document && {
      ...document,
      [MAC_FIELD]: `${position} ${documentMac(collection, id, position, JSON.stringify(document))}`,
    },
  })

  /** @param position Of the row, where it is known. @returns Undefined for one that the portal did not write. */
  const contentOf = (collection: string, id: string, stored: Document, position?: string): Document | undefined => {
    const known = checked.get(stored)
    if (known) return known
    const { [MAC_FIELD]: mac, ...content } = stored
    const [at = '', sum] = typeof mac === 'string' ? mac.split(' ') : []
    const isOurs =
      sum !== undefined &&
      (position === undefined || at === position) &&
      sum === documentMac(collection, id, at, JSON.stringify(content))
    if (!isOurs) {
      onForged(collection, id)
      return undefined
    }
    checked.set(stored, content)
    return content
  }

  return {
    ...store,
    async read(collection, ids) {
      const authentic = new Map<string, StoredDocument>()
      for (const [id, { document, position }] of await store.read(collection, ids)) {
        const content = document && contentOf(collection, id, document, position)
        if (content !== undefined) authentic.set(id, { id, document: content, position })
      }
      return authentic
    },
    write: (collection, writes, checkpoint) =>
      store.write(
        collection,
        writes.map((write) => signed(collection, write)),
        checkpoint,
      ),
    async *scan(collection, pageSize) {
      for await (const rows of store.scan(collection, pageSize))
        yield rows.map((row) => {
          if (row.document === null) return row
          const document = contentOf(collection, row.id, row.document, row.position)
          return document ? { ...row, document } : { ...row, document: null, isSound: false }
        })
    },
    async find(collection, query) {
      const { documents, next } = await store.find(collection, query)
      return {
        documents: documents.flatMap(({ id, document }) => {
          const content = contentOf(collection, id, document)
          return content ? [{ id, document: content }] : []
        }),
        next,
      }
    },
  }
}

/** Asks once for a rebuild of each collection that has a forged document: the next one has another name. */
export function createForgedRebuilds(
  states: Pick<ProjectionStore, 'loadAll' | 'update'>,
  log: Log,
): (collection: string) => void {
  const requested = new Set<string>()
  const request = async (collection: string) => {
    for (const { projection, serving } of (await states.loadAll()).values())
      if (serving === collection) await states.update(projection, rebuildRequest)
  }
  return (collection) => {
    if (requested.has(collection)) return
    requested.add(collection)
    request(collection).catch((error: unknown) => {
      requested.delete(collection)
      log.warn({ err: error, collection }, 'A read model with a forged document was not requested to be rebuilt')
    })
  }
}
