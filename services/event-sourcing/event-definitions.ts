import { z } from 'zod'
import type { Calendar } from '#services/rules/calendar.ts'
import { ERASED } from './erased.ts'

/** A decided event that is not appended yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type
  readonly data: Data
}

/** An event of a stream: when it was appended (ms since 1970), and its revision, counted from 0. */
export type AppendedEvent<Event extends DomainEvent> = Event & {
  readonly at: number
  readonly revision: number
  /** The version of the decisions that it was decided under, see rules/decision-version.ts; absent for 1. */
  readonly decisions?: number | undefined
  /** The calendar that the rules judge by, where a fold needs it: see {@link AggregateType}. */
  readonly calendar?: Calendar | undefined
}

/** One type of event: the shape of its data, the version of that shape, and which fields are personal. */
export interface EventDefinition<Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly version: number
  readonly schema: z.ZodObject<{ -readonly [Field in keyof Shape]: Shape[Field] }, z.core.$strip>
  /** The fields that are stored only encrypted, each with its value after an erasure. */
  readonly personal: ReadonlyMap<string, unknown>
  /** The personal fields that an export can prove: all that are not secret. See crypto-shredding/disclosures.ts. */
  readonly disclosable: ReadonlySet<string>
  /** The two halves of `schema`: the fields that are stored in clear, and those that are stored encrypted. */
  readonly clearSchema: z.ZodType<Record<string, unknown>>
  readonly personalSchema: z.ZodType<Record<string, unknown>>
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** The union of all events that some definitions describe. */
export type EventOf<Definitions extends EventDefinitions> = {
  [Type in keyof Definitions & string]: DomainEvent<Type, z.output<Definitions[Type]['schema']>>
}[keyof Definitions & string]

const personalFields = z.registry<{ readonly erased: unknown; readonly disclosable: boolean }>()

/**
 * Marks a field as personal: it is stored encrypted with the person's own key. Once that key is destroyed the field
 * reads `erased`.
 */
export function personal<Schema extends z.ZodType>(
  schema: Schema,
  erased: z.output<Schema> | typeof ERASED = ERASED,
): Schema {
  return mark(schema, { erased, disclosable: true })
}

/**
 * Marks a personal field as secret too: it is stored like the others, but no export ever discloses it. For password
 * hashes and the like.
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return mark(schema, { erased: ERASED, disclosable: false })
}

function mark<Schema extends z.ZodType>(
  schema: Schema,
  kind: { readonly erased: unknown; readonly disclosable: boolean },
): Schema {
  const marked = schema.clone()
  personalFields.add(marked, kind)
  return marked
}

/** Defines events by the shapes of their data. */
export function defineEvents<Shapes extends Readonly<Record<string, z.core.$ZodLooseShape>>>(
  shapes: Shapes,
): { readonly [Type in keyof Shapes]: EventDefinition<Shapes[Type]> } {
  const define = <Type extends keyof Shapes>(shape: Shapes[Type]): EventDefinition<Shapes[Type]> => {
    const fields = Object.entries<z.core.$ZodType>(shape)
    const marks = fields.flatMap(([field, schema]) => {
      const kind = schema instanceof z.ZodType ? personalFields.get(schema) : undefined
      return kind ? [{ field, ...kind }] : []
    })
    const personal = new Map(marks.map(({ field, erased }) => [field, erased]))
    const half = (isPersonal: boolean) =>
      z.object(Object.fromEntries(fields.filter(([field]) => personal.has(field) === isPersonal)))
    return {
      version: 1,
      schema: z.object(shape),
      personal,
      disclosable: new Set(marks.flatMap(({ field, disclosable }) => (disclosable ? [field] : []))),
      clearSchema: half(false),
      personalSchema: half(true),
    }
  }
  const defined: Partial<{ [Type in keyof Shapes]: EventDefinition<Shapes[Type]> }> = {}
  for (const type in shapes) defined[type] = define(shapes[type])
  return complete(defined)
}

/** The loop above sets every key of `Shapes`, which the type system cannot follow. */
function complete<T extends object>(partial: Partial<T>): T {
  return partial as T
}

/** Whether an event is one of those that some definitions describe. */
export function isOneOf<Definitions extends EventDefinitions, Event extends DomainEvent>(
  definitions: Definitions,
  event: Event,
): event is Extract<Event, EventOf<Definitions>> {
  return Object.hasOwn(definitions, event.type)
}
