import { z } from 'zod'
import type { CollectionDefinition, Document } from '#infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { DomainEvent, EventDefinitions, EventOf } from '#services/event-sourcing/event-definitions.ts'

/** A projection is data and pure functions. projector.ts keeps its read model up to date. */

/** A recorded event of one type, or of any of several. */
export type RecordedEventOf<Event extends DomainEvent, Type extends Event['type']> = RecordedEvent<
  Extract<Event, { type: Type }>
>

/**
 * Folds one event onto its document; undefined where there is none yet. Null deletes the document for good; undefined is
 * for an event that begins none.
 */
export type EventHandler<Event extends DomainEvent, Doc, Type extends Event['type']> = (
  document: Doc | undefined,
  event: RecordedEventOf<Event, Type>,
) => Doc | null | undefined

export interface ProjectionDefinition<Event extends DomainEvent, Doc extends Document, Type extends Event['type']> {
  /** Lower-case letters, digits and '-'. */
  readonly name: string
  /**
   * Raise it with every change of the documents, filters, sorts or search: the read model is then rebuilt beside the
   * old one.
   */
  readonly version: number
  /**
   * The shape of a document. Until a raised version is built, this schema also reads the documents of the previous
   * version: give a new field a default.
   */
  readonly document: z.ZodType<Doc>
  /** Paths that queries filter by, sort by and search in; of the filters those that few documents pass, as ids are. */
  readonly filters?: readonly string[]
  readonly selective?: readonly string[]
  readonly sorts?: readonly string[]
  readonly search?: readonly string[]
  /** The document that an event belongs to; undefined for an event that does not concern this projection. */
  readonly documentId: (event: RecordedEventOf<Event, NoInfer<Type>>) => string | undefined
  readonly on: { readonly [Each in Type]: EventHandler<Event, NoInfer<Doc>, Each> }
}

/** A projection as the worker and the query service use it. */
export interface Projection<out Doc = unknown> {
  readonly name: string
  readonly version: number
  /**
   * A stored document, validated once an object.
   *
   * @throws {z.ZodError} when it does not have this projection's shape.
   */
  validate(stored: Document): Doc
  /** The events that it applies. */
  readonly eventTypes: ReadonlySet<string>
  /** The definition of a collection that holds its documents. */
  collection(name: string): CollectionDefinition
  /** The document that an event belongs to, if it concerns this projection. */
  documentIdOf(event: RecordedEvent): string | undefined
  /**
   * Applies one more event to a document: undefined where there is none yet, null once it is deleted. Returns the same
   * object when nothing changes.
   *
   * @throws {z.ZodError} when the document does not have this projection's shape.
   */
  apply(document: Document | null | undefined, event: RecordedEvent): Document | null | undefined
}

/** Defines a projection of some of these events: it names the events that it folds in `on`. */
export function projection<Events extends EventDefinitions, Doc extends Document, Type extends keyof Events & string>(
  events: Events,
  definition: ProjectionDefinition<EventOf<Events>, Doc, Type>,
): Projection<Doc> {
  const { name, version, document: schema, filters, selective, sorts, search, documentId, on } = definition
  const types = new Set(Object.keys(events).filter((type) => Object.hasOwn(on, type)))
  const concernsUs = (event: RecordedEvent): event is RecordedEventOf<EventOf<Events>, Type> => types.has(event.type)
  // A cached document was validated, or created here: it need not be validated again.
  const valid = new WeakMap<Document, Doc>()
  const validate = (stored: Document): Doc => {
    const known = valid.get(stored)
    if (known) return known
    const document = schema.parse(stored)
    valid.set(stored, document)
    return document
  }
  const foldOne = <Each extends Type>(
    document: Doc | undefined,
    type: Each,
    event: RecordedEventOf<EventOf<Events>, Each>,
  ) => on[type](document, event)

  return {
    name,
    version,
    validate,
    eventTypes: types,
    collection: (collection) => ({
      name: collection,
      ...(filters && { filters }),
      ...(selective && { selective }),
      ...(sorts && { sorts }),
      ...(search && { search }),
    }),
    documentIdOf: (event) => (concernsUs(event) ? documentId(event) : undefined),
    apply(stored, event) {
      // Deletes are final; later events never resurrect a document.
      if (stored === null || !concernsUs(event)) return stored
      const before = stored && validate(stored)
      const document = foldOne(before, event.type, event)
      if (document === before) return stored
      if (document) valid.set(document, document)
      return document
    },
  }
}

/** A handler for an event that changes an existing document. */
export function updateExisting<Doc, Event extends RecordedEvent>(change: (document: Doc, event: Event) => Doc | null) {
  return (document: Doc | undefined, event: Event): Doc | null => {
    if (document === undefined) throw new Error('there is no document to change')
    return change(document, event)
  }
}

/** The same handler for every event of some definitions. */
export function onEach<Definitions extends EventDefinitions, Handler>(definitions: Definitions, handler: Handler) {
  const handlers = Object.fromEntries(Object.keys(definitions).map((type) => [type, handler]))
  // TypeScript cannot see that the loop sets every name.
  return handlers as { readonly [Type in keyof Definitions]: Handler }
}

/** {@link updateExisting} for every event of some definitions: for a read model whose documents a decider folds. */
export function updateOn<Definitions extends EventDefinitions, Doc>(
  definitions: Definitions,
  change: (document: Doc, event: RecordedEvent<EventOf<Definitions>>) => Doc,
) {
  return onEach(definitions, updateExisting(change))
}

/** Personal fields in a read model: encrypted as in the log, decrypted with `reveal` for an entitled reader. */
export const encryptedFields = z.object({ eventId: z.string(), sealed: z.string() })

export type EncryptedFields = z.infer<typeof encryptedFields>

/** The personal fields of an event, still encrypted. */
export function encryptedFieldsOf(event: RecordedEvent): EncryptedFields {
  if (event.ciphertext === null) throw new Error('its personal fields are missing')
  return { eventId: event.id, sealed: event.ciphertext }
}
