import { z } from 'zod'

/**
 * A part of a contract whose schema the service completes when it starts: pages that send or show it do without what it
 * is made of. Where nobody completes it, as in a browser, it takes anything.
 */
export function lateSchema<Value>() {
  let full: z.ZodType<Value, Value> | undefined
  return {
    schema: z.lazy(() => full ?? z.custom<Value>()),
    /** Called once, before the first value is read. */
    complete(schema: z.ZodType<Value, Value>): void {
      full = schema
    },
  }
}
