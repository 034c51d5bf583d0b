import { z } from 'zod'

/**
 * The one place where the browser tolerates bad data (specification §1, §2, §4). An answer that its schema refuses is
 * repaired field by field: an odd value reads as a missing one, which the formatters show as $0.00 or N/A, and hides no
 * other. The words of a newer server are kept, and shown as they are or as Unknown; its new fields are dropped. The
 * server parses its own input strictly.
 *
 * @throws {z.ZodError} for an answer of another kind altogether: all are lists or objects.
 */
export function parseLeniently<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
  const strict = schema.safeParse(answer)
  if (strict.success) return strict.data
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) !== schema instanceof z.ZodArray)
    throw strict.error
  // The types name the words of this version; what shows a word copes with others.
  return repaired(schema, answer) as Answer
}

function repaired(schema: z.core.$ZodType, value: unknown): unknown {
  // Only the service knows what it is made of.
  if (schema instanceof z.ZodLazy) return value
  if (schema instanceof z.ZodNullable) return isOfKind(schema.unwrap(), value) ? repaired(schema.unwrap(), value) : null
  if (schema instanceof z.ZodOptional)
    return isOfKind(schema.unwrap(), value) ? repaired(schema.unwrap(), value) : undefined
  if (schema instanceof z.ZodObject) return repairedObject(schema, isRecord(value) ? value : {})
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? repairedItems(schema.element, value) : []
  if (schema instanceof z.ZodRecord)
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, repaired(schema.valueType, one)]))
      : {}
  if (schema instanceof z.ZodUnion)
    return repaired(
      schema.options.find((option) => isOfKind(option, value)) ?? schema.options.at(-1) ?? z.null(),
      value,
    )
  if (schema instanceof z.ZodLiteral) return schema.values.has(literal(value)) ? value : [...schema.values][0]
  if (schema instanceof z.ZodNumber) return isNumeric(value) ? Number(value) : 0
  if (schema instanceof z.ZodBoolean) return value === true
  if (schema instanceof z.ZodNull) return null
  // Texts, of any format, and words.
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function repairedObject(
  schema: z.ZodObject,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, repaired(field, record[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** A row that is no row is left out. Other items keep their index, since lists may belong together. */
function repairedItems(schema: z.core.$ZodType, items: readonly unknown[]): readonly unknown[] {
  return items
    .filter((item) => !(schema instanceof z.ZodObject) || isRecord(item))
    .map((item) => repaired(schema, item))
}

/** Whether a value can be read as a schema's at all. */
function isOfKind(schema: z.core.$ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return value === null || value === undefined || isOfKind(schema.unwrap(), value)
  if (schema instanceof z.ZodObject)
    return (
      isRecord(value) &&
      Object.entries(schema.shape).every(
        ([name, field]) => !(field instanceof z.ZodLiteral) || isOfKind(field, value[name]),
      )
    )
  if (schema instanceof z.ZodRecord) return isRecord(value)
  if (schema instanceof z.ZodArray) return Array.isArray(value)
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => isOfKind(option, value))
  if (schema instanceof z.ZodLiteral) return schema.values.has(literal(value))
  if (schema instanceof z.ZodNumber) return isNumeric(value)
  if (schema instanceof z.ZodBoolean) return typeof value === 'boolean'
  if (schema instanceof z.ZodNull) return value === null
  return typeof value === 'string' || typeof value === 'number'
}

function isNumeric(value: unknown): boolean {
  return (
    (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) && Number.isFinite(Number(value))
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that a literal may have; anything else is none of them. */
function literal(value: unknown): z.core.util.Literal {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : undefined
}
