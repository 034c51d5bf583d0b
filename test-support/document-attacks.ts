import type { RawDocuments, RawRow } from './raw-documents.ts'

/** What is done to the documents of a read model by who can write to its store and has no key, beside changing them. */
export interface AttackedDocument {
  readonly documents: RawDocuments
  /** The row, and what it was before its last event. */
  readonly row: RawRow
  readonly older: RawRow
  /** Another row of the same read model, and one of another. */
  readonly other: RawRow
  readonly foreign: RawRow
}

export interface DocumentAttack {
  /** Read models that have nothing to be attacked in this way. */
  readonly without?: readonly string[]
  /** It moves a row to another place, which not every store keeps. */
  readonly isPlaced?: true
  readonly action: 'update' | 'delete' | 'put back' | 'insert'
  run(attacked: AttackedDocument): Promise<void>
}

/** Those whose lists are neither filtered nor sorted, and those that nobody searches. */
const withoutKeys = ['admin-keys', 'program-keys', 'programmes']
const withoutSearch = [...withoutKeys, 'findings', 'batches']

const idOf = ({ documents: { names } }: Pick<AttackedDocument, 'documents'>, row: RawRow) => String(row[names.id])

/** Other values in the place of a row's keys: columns in SQLite, a field in MongoDB. */
const otherKeys = ({ keys, ...row }: RawRow, value: unknown) =>
  keys !== null && typeof keys === 'object'
    ? { keys: Object.fromEntries(Object.keys(keys).map((name) => [name, value])) }
    : Object.fromEntries(
        Object.keys(row)
          .filter((name) => name.startsWith('$.'))
          .map((name) => [name, value]),
      )

export const documentAttacks: Readonly<Record<string, DocumentAttack>> = {
  removed: {
    action: 'delete',
    run: (attacked) => attacked.documents.remove(idOf(attacked, attacked.row)),
  },
  'put back as it was before its last event': {
    action: 'put back',
    run: ({ documents, older }) => documents.put(older),
  },
  'put back as it was, at the position that it has now': {
    action: 'put back',
    run: ({ documents, older, row }) => documents.put({ ...older, position: row['position'] }),
  },
  'put back with the content that it was, under the keys that it has now': {
    action: 'put back',
    run: ({ documents, older, row }) =>
      documents.put({ ...row, position: older['position'], document: older['document'] }),
  },
  'turned into a tombstone': {
    action: 'delete',
    run: ({ documents, row }) => documents.put({ ...row, ...tombstone(row) }),
  },
  'turned into a tombstone of the future': {
    action: 'delete',
    run: ({ documents, row }) => documents.put({ ...row, ...tombstone(row), position: '99999999' }),
  },
  'hidden from every list': {
    action: 'update',
    run: ({ documents, row }) => documents.put({ ...row, ...('gone' in row ? { gone: true } : { living: 0 }) }),
  },
  'found by other keys': {
    action: 'update',
    without: withoutKeys,
    run: ({ documents, row }) => documents.put({ ...row, ...otherKeys(row, 'elsewhere') }),
  },
  'moved to the other end of every list': {
    action: 'update',
    run({ documents, row, other }) {
      const { rank } = documents.names
      return documents.put({ ...row, [rank]: Number(row[rank]) < Number(other[rank]) ? 999_999 : -1 })
    },
    isPlaced: true,
  },
  'found by the text of another': {
    action: 'update',
    without: withoutSearch,
    run: ({ documents, row, other }) =>
      documents.put({ ...row, search: other['search'], ...('grams' in other && { grams: other['grams'] }) }),
  },
  'not found by its text': {
    action: 'update',
    without: withoutSearch,
    async run(attacked) {
      const { documents, row } = attacked
      await documents.unindex(idOf(attacked, row))
      if ('grams' in row) await documents.put({ ...row, grams: [] })
    },
  },
  'replaced by another, whole': {
    action: 'update',
    run: ({ documents, row, other }) =>
      documents.put({
        ...other,
        [documents.names.id]: row[documents.names.id],
        [documents.names.rank]: row[documents.names.rank],
      }),
  },
  'repeated under another id': {
    action: 'insert',
    run: ({ documents, row }) =>
      documents.put({ ...row, [documents.names.id]: 'thief000', [documents.names.rank]: 999_999 }),
  },
  'joined by a document of another read model': {
    action: 'insert',
    run: ({ documents, row, foreign }) =>
      documents.put({
        ...row,
        [documents.names.id]: foreign[documents.names.id],
        [documents.names.rank]: 999_999,
        position: foreign['position'],
        document: foreign['document'],
      }),
  },
  'replaced by nonsense': {
    action: 'update',
    run: ({ documents, row }) => documents.put({ ...row, document: '{"no' }),
  },
}

const tombstone = (row: RawRow) =>
  'gone' in row
    ? { document: null, gone: true, keys: {}, search: '', grams: [] }
    : {
        document: null,
        living: 0,
        search: null,
        ...otherKeys(row, -Infinity),
      }
