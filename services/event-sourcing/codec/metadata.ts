import { z } from 'zod'

/** Every event carries this beside its data. */
export const metadata = z.object({
  /** Version of the shape of the data. */
  version: z.int(),
  /** When it was recorded, ms since 1970. */
  at: z.int(),
  /** Who made the change, never with a secret. It is only carried: the application says which kinds there are. */
  actor: z.object({ kind: z.string(), id: z.string().optional(), label: z.string().optional() }),
  /** The HTTP request or command that caused it. */
  requestId: z.string(),
  /** The event or request that caused it directly, and the first of that chain. */
  causationId: z.string(),
  correlationId: z.string(),
  /** Hash of the stream's previous event (hex), null for the first: see hash-chain.ts. */
  previous: z.string().nullable(),
})

export type Metadata = z.infer<typeof metadata>

/** On whose behalf a change is made. */
export type Context = Pick<Metadata, 'actor' | 'requestId' | 'causationId' | 'correlationId'>

/** The context of a change by the program itself. */
export function systemContext(label: string, requestId: string, causationId = requestId): Context {
  return { actor: { kind: 'system', label }, requestId, causationId, correlationId: causationId }
}

const correlationSchema = metadata.pick({ requestId: true, correlationId: true })

/** The ids of an event for log lines, so that a request can be followed from the command to the mail. */
export function correlationOf(stored: { readonly metadata: string }): Partial<z.infer<typeof correlationSchema>> {
  try {
    return correlationSchema.safeParse(JSON.parse(stored.metadata)).data ?? {}
  } catch {
    return {}
  }
}
