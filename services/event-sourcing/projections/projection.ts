import { z } from 'zod'
import type { CollectionDefinition, Document } from '../../../infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '../codec/event-codec.ts'
import type { DomainEvent } from '../event-definitions.ts'

/** What a view is: data and pure functions. How it is kept up to date is the worker's affair (services/worker/projector.ts). */

/** A recorded event of one type, or of any of several. */
export type RecordedEventOf<Event extends DomainEvent, Type extends Event['type']> = RecordedEvent<Extract<Event, { type: Type }>>

/** Folds one event onto its document; undefined where there is none yet. Null deletes the document for good. */
export type EventHandler<Event extends DomainEvent, Doc, Type extends Event['type']> = (
  document: Doc | undefined,
  event: RecordedEventOf<Event, Type>,
) => Doc | null

export interface ProjectionDefinition<Event extends DomainEvent, Doc extends Document, Type extends Event['type']> {
  /** Lower-case letters, digits and '-'. */
  readonly name: string
  /** To be raised with every change of the documents, the filters, the sorts or the search: the read model is then rebuilt. */
  readonly version: number
  /**
   * The shape of a document. Until a raised version has been built, the documents of the version before are read by
   * this schema too: give a new field a default.
   */
  readonly document: z.ZodType<Doc>
  /** Paths that queries filter by, sort by and search in. */
  readonly filters?: readonly string[]
  readonly sorts?: readonly string[]
  readonly search?: readonly string[]
  /** The document that a fact belongs to; undefined for a fact that is none of this view's. */
  readonly documentId: (event: RecordedEventOf<Event, NoInfer<Type>>) => string | undefined
  readonly on: { readonly [Each in Type]: EventHandler<Event, NoInfer<Doc>, Each> }
}

/** A view as the worker and the query service use it. */
export interface Projection<out Doc = unknown> {
  readonly name: string
  readonly version: number
  readonly document: z.ZodType<Doc>
  /** The events that it folds. */
  readonly eventTypes: ReadonlySet<string>
  /** The definition of a collection that holds its documents. */
  collection(name: string): CollectionDefinition
  /** The document that a fact belongs to, if it is one of this view's. */
  documentIdOf(fact: RecordedEvent): string | undefined
  /** Takes up a stored document to fold facts onto it. @throws {z.ZodError} when it has not this view's shape. */
  resume(stored: Document | undefined): DocumentFold
}

/** A document while facts are folded onto it. */
export interface DocumentFold {
  /** Null once it is deleted, undefined where there is none yet. */
  readonly document: Document | null | undefined
  /** Folds one more fact; when that throws the document is what it was before. */
  apply(fact: RecordedEvent): void
}

/** `defineProjection` for an application's events: {@link createProjection} with its type of event fixed. */
export const projectionsOf =
  <Event extends DomainEvent>() =>
  <Doc extends Document, Type extends Event['type']>(definition: ProjectionDefinition<Event, Doc, Type>): Projection<Doc> =>
    createProjection(definition)

function createProjection<Event extends DomainEvent, Doc extends Document, Type extends Event['type']>(
  definition: ProjectionDefinition<Event, Doc, Type>,
): Projection<Doc> {
  const { name, version, document: schema, filters, sorts, search, documentId, on } = definition
  const types = new Set<string>(Object.keys(on))
  const isOurs = (fact: RecordedEvent): fact is RecordedEventOf<Event, Type> => types.has(fact.type)
  // What came out of a fold has the view's shape, and need not be looked at again while it is remembered.
  const folded = new WeakSet<Document>()
  const isFolded = (document: Document): document is Doc => folded.has(document)
  const foldOne = <Each extends Type>(document: Doc | undefined, type: Each, fact: RecordedEventOf<Event, Each>) => on[type](document, fact)

  return {
    name,
    version,
    document: schema,
    eventTypes: types,
    collection: (collection) => ({ name: collection, ...(filters && { filters }), ...(sorts && { sorts }), ...(search && { search }) }),
    documentIdOf: (fact) => (isOurs(fact) ? documentId(fact) : undefined),
    resume(stored) {
      let document: Doc | null | undefined = stored && (isFolded(stored) ? stored : schema.parse(stored))
      return {
        get document() {
          return document
        },
        apply(fact) {
          // A deletion is for good: what comes late does not bring the document back.
          if (document === null || !isOurs(fact)) return
          document = foldOne(document, fact.type, fact)
          if (document) folded.add(document)
        },
      }
    },
  }
}

/** For a fact that changes a document: it can't come before the one that makes it. */
export function updateExisting<Doc, Fact extends RecordedEvent>(change: (document: Doc, fact: Fact) => Doc | null) {
  return (document: Doc | undefined, fact: Fact): Doc | null => {
    if (document === undefined) throw new Error('there is no document to change')
    return change(document, fact)
  }
}

/** Personal fields as a view keeps them: encrypted as in the log, to be opened with `reveal` when somebody entitled looks. */
export const encryptedFields = z.object({ eventId: z.string(), sealed: z.string() })

/** The personal fields of a fact, still encrypted. */
export function encryptedFieldsOf(fact: RecordedEvent): z.infer<typeof encryptedFields> {
  if (fact.ciphertext === null) throw new Error('its personal fields are missing')
  return { eventId: fact.id, sealed: fact.ciphertext }
}
