import type {
  Document,
  DocumentWrite,
  Json,
  Query,
  Scalar,
  StoredDocument,
} from '#infra/read-model-store/read-model-store.ts'

/** A collection as plain as can be, to compare a view store with: everything is looked at every time. */
export class DocumentModel {
  /** In the order in which they were made. */
  readonly #documents = new Map<string, StoredDocument>()
  readonly #search: readonly string[]

  constructor(search: readonly string[]) {
    this.#search = search
  }

  read(id: string): StoredDocument | undefined {
    return this.#documents.get(id)
  }

  all(ids: readonly string[]): Map<string, StoredDocument> {
    return new Map([...this.#documents].filter(([id]) => ids.includes(id)))
  }

  /** Answers the ids refused. */
  write(writes: readonly DocumentWrite[]): string[] {
    const refused: string[] = []
    for (const { id, document, position, expected } of writes) {
      if ((this.#documents.get(id)?.position ?? null) !== expected) refused.push(id)
      else this.#documents.set(id, { id, document, position })
    }
    return refused
  }

  /** Every document that a query asks for, in its order. */
  find({ where = {}, search = '', sort }: Omit<Query, 'limit' | 'cursor'>): { id: string; document: Document }[] {
    const found = [...this.#documents.values()].flatMap(({ id, document }) => (document ? [{ id, document }] : []))
    const matching = found.filter(({ document }) => isWhere(document, where) && this.#contains(document, search))
    if (sort && sort.by !== 'created')
      matching.sort((a, b) => compared(at(a.document, sort.by), at(b.document, sort.by)))
    return (sort?.direction ?? -1) === 1 ? matching : matching.reverse()
  }

  #contains(document: Document, search: string): boolean {
    if (search.trim() === '') return true
    const sought = search.toLowerCase()
    return this.#search.some((path) => {
      const text = at(document, path)
      if (typeof text !== 'string') return false
      const lower = text.toLowerCase()
      if (sought.length >= 3) return lower.includes(sought)
      const isLetter = (n: number): boolean => /[\p{L}\p{N}]/u.test(lower[n] ?? '')
      return Array.from(lower, (_, n) => n).some((n) => lower.startsWith(sought, n) && isLetter(n) && !isLetter(n - 1))
    })
  }
}

function at(document: Document, path: string): Scalar {
  const value = path.split('.').reduce<Json | undefined>((part, field) => {
    return typeof part === 'object' && part !== null && !Array.isArray(part) ? part[field] : undefined
  }, document)
  return value === undefined || typeof value === 'object' ? null : value
}

function isWhere(document: Document, where: NonNullable<Query['where']>): boolean {
  return Object.entries(where).every(([path, wanted]) => {
    const value = at(document, path)
    if (Array.isArray(wanted)) return wanted.includes(value)
    if (typeof wanted !== 'object' || wanted === null) return wanted === value
    return 'from' in wanted && typeof value === 'number' && wanted.from <= value && value <= wanted.to
  })
}

/** Negative where one comes first: null, then in order. */
function compared(one: Scalar, other: Scalar): number {
  if (one === null || other === null) return (one === null ? 0 : 1) - (other === null ? 0 : 1)
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return Number(one) - Number(other)
}
