import { z } from 'zod'
import { runChild } from './children.ts'
import { clock, type Stretch } from './profile.ts'

/** Requests that are sent over and over, from a process of their own. */

export const request = z.object({
  method: z.enum(['GET', 'POST', 'PATCH']),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** JSON. In headers and body '{n}' stands for a number that is never used twice. */
  body: z.string().optional(),
})
export type LoadRequest = z.infer<typeof request>

export const load = z.object({
  /** Of several, each request goes to the next one in turn. */
  url: z.union([z.string(), z.array(z.string())]),
  connections: z.int(),
  /** Not counted, in ms; then counted. */
  warmUp: z.int(),
  ms: z.int(),
  requests: z.array(request),
  firstNumber: z.int(),
})
export type Load = z.infer<typeof load>

export const outcome = z.object({
  perSecond: z.number(),
  /** Of an answer, in ms. */
  p50: z.number(),
  p99: z.number(),
})

export interface Outcome extends z.infer<typeof outcome> {
  /** While the load was on. */
  readonly stretch: Stretch
}

let nextNumber = 1

/** Loads a server. @throws {Error} when any answer is not 2xx: a refusal costs less than what is measured. */
export async function runLoad(wanted: Omit<Load, 'warmUp' | 'firstNumber'> & { readonly warmUp?: number }): Promise<Outcome> {
  const from = clock()
  // More than any machine answers meanwhile.
  nextNumber += 10_000_000
  const said = await runChild('load', { warmUp: 1_000, ...wanted, firstNumber: nextNumber }, outcome)
  return { ...said, stretch: { from, to: clock() } }
}
