import * as mini from 'zod/mini'

/**
 * Zod for the verify page: the same schemas from zod/mini, which is a third in size, with the methods that the domain's event
 * definitions call. The build puts it in the place of `zod` (vite.config.ts).
 */

function chained<Schema extends mini.ZodMiniType>(schema: Schema): Schema {
  return Object.assign(schema, {
    nullable: () => chained(mini.nullable(schema)),
    optional: () => chained(mini.optional(schema)),
    exactOptional: () => chained(mini.exactOptional(schema)),
    transform: (change: (value: mini.output<Schema>) => unknown) => chained(mini.pipe(schema, mini.transform(change))),
  })
}

function text(): mini.ZodMiniString {
  return withChecks(mini.string())
}

function withChecks<Schema extends mini.ZodMiniString>(schema: Schema): Schema {
  return Object.assign(chained(schema), {
    regex: (pattern: RegExp) => withChecks(schema.check(mini.regex(pattern))),
    min: (least: number) => withChecks(schema.check(mini.minLength(least))),
  })
}

function whole(): mini.ZodMiniNumberFormat {
  return withBounds(mini.int())
}

function withBounds<Schema extends mini.ZodMiniNumberFormat>(schema: Schema): Schema {
  return Object.assign(chained(schema), {
    min: (least: number) => withBounds(schema.check(mini.minimum(least))),
    positive: () => withBounds(schema.check(mini.positive())),
  })
}

function list<Item extends mini.ZodMiniType>(item: Item): mini.ZodMiniArray<Item> {
  const schema = mini.array(item)
  return Object.assign(chained(schema), { min: (least: number) => chained(schema.check(mini.minLength(least))) })
}

function object(shape: mini.core.$ZodLooseShape) {
  const schema = mini.object(shape)
  return Object.assign(chained(schema), { pick: (mask: Record<string, true>) => mini.pick(schema, mask) })
}

const oneOf: typeof mini.enum = (values: readonly string[]) => chained(mini.enum(values))

export const z = {
  ...{ string: text, int: whole, array: list, enum: oneOf },
  boolean: () => chained(mini.boolean()),
  number: () => chained(mini.number()),
  literal: (value: string) => chained(mini.literal(value)),
  object,
  looseObject: (shape: mini.core.$ZodLooseShape) => chained(mini.looseObject(shape)),
  strictObject: (shape: mini.core.$ZodLooseShape) => chained(mini.strictObject(shape)),
  codec: mini.codec,
  discriminatedUnion: mini.discriminatedUnion,
  record: mini.record,
  tuple: mini.tuple,
  union: mini.union,
  unknown: mini.unknown,
  registry: mini.registry,
  ZodType: mini.ZodMiniType,
}
