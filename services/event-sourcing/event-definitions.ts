import { z } from 'zod'

/** A fact decided but not yet recorded. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type
  readonly data: Data
}

/** A fact on record: when it was recorded (ms since 1970), and where it stands in its stream, counted from 0. */
export type AppendedEvent<Event extends DomainEvent> = Event & { readonly at: number; readonly revision: number }

/** What is known of one type of event: its data's shape, the version of that shape, and which fields are personal. */
export interface EventDefinition<Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly version: number
  readonly schema: z.ZodObject<{ -readonly [Field in keyof Shape]: Shape[Field] }, z.core.$strip>
  /** Names of the fields that are stored only encrypted, each with what it reads once the person is erased. */
  readonly personal: ReadonlyMap<string, unknown>
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** The union of all events that some definitions describe. */
export type EventOf<Definitions extends EventDefinitions> = {
  [Type in keyof Definitions & string]: DomainEvent<Type, z.output<Definitions[Type]['schema']>>
}[keyof Definitions & string]

/** What an erased text reads from then on (design: "Personal data and deletion"). */
export const ERASED = 'erased'

const erasedValues = z.registry<{ erased: unknown }>()

/**
 * Marks a field as personal: it is stored encrypted with the person's own key. Once that key is destroyed the field
 * reads `erased`.
 */
export function personal<Schema extends z.ZodType>(schema: Schema, erased: z.output<Schema> | typeof ERASED = ERASED): Schema {
  const marked = schema.clone()
  erasedValues.add(marked, { erased })
  return marked
}

/** Defines events by the shapes of their data. A changed shape needs a higher version here and an upcaster in the repositories. */
export function defineEvents<Shapes extends Readonly<Record<string, z.core.$ZodLooseShape>>>(
  shapes: Shapes,
  versions: { readonly [Type in keyof Shapes]?: number } = {},
): { readonly [Type in keyof Shapes]: EventDefinition<Shapes[Type]> } {
  const define = <Type extends keyof Shapes>(type: Type, shape: Shapes[Type]): EventDefinition<Shapes[Type]> => ({
    version: versions[type] ?? 1,
    schema: z.object(shape),
    personal: new Map(
      Object.entries(shape).flatMap(([field, schema]) => {
        const mark = schema instanceof z.ZodType ? erasedValues.get(schema) : undefined
        return mark ? [[field, mark.erased] as const] : []
      }),
    ),
  })
  const defined: Partial<{ [Type in keyof Shapes]: EventDefinition<Shapes[Type]> }> = {}
  for (const type in shapes) defined[type] = define(type, shapes[type])
  return complete(defined)
}

/** Every key of `Shapes` was set by the loop above; the type system can't follow that, so it is said once, here. */
function complete<T extends object>(partial: Partial<T>): T {
  return partial as T
}
