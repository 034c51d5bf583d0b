import { z } from 'zod'

/** OpenAPI metadata of schemas. A separate registry: zod's global one is shared by all code. */
export const components = z.registry<{
  id?: string
  description?: string
  /** The JSON Schema of a rule that is a function here. */
  const?: boolean
  minimum?: number
  maximum?: number
  multipleOf?: number
}>()

/** Parameters that count as absent when empty. */
export const emptyIsNone = new WeakSet<z.ZodType>()

/** Names a schema, so that the OpenAPI document describes it once and refers to it elsewhere. */
export function component<Schema extends z.ZodType>(id: string, schema: Schema, description?: string): Schema {
  components.add(schema, description === undefined ? { id } : { id, description })
  return schema
}

/** An object in an answer, named. */
export function namedObject<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape, description?: string) {
  return component(id, z.object(shape), description)
}

/** Describes a schema in place, without a name of its own. */
export function described<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  components.add(schema, { description })
  return schema
}
