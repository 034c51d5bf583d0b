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
  /**
   * The request that must take effect once, where its sender named it: keyed hashes of its key and of its content, and
   * which of its decisions on this stream this was.
   */
  once: z.object({ key: z.string(), content: z.string(), step: z.int() }).optional(),
  /** Hash of the stream's previous event (hex), null for the first: see hash-chain.ts. */
  previous: z.string().nullable(),
})

export type Metadata = z.infer<typeof metadata>

/** On whose behalf a change is made. */
export interface Context extends Pick<Metadata, 'actor' | 'requestId' | 'causationId' | 'correlationId'> {
  /** Set where the request must take effect once, however often it is sent. */
  readonly request?: OnceOnly
}

/**
 * A request that takes effect once. When it is sent again, its handler runs again: each of its decisions finds in the stream
 * that it was made, and ids of what it makes are the same.
 */
export interface OnceOnly {
  /** Keyed hashes of its sender, call and key, and of its content. */
  readonly key: string
  readonly content: string
  /** Counts the decisions of this run on a stream. */
  nextStep(stream: string): number
  /** 32 bytes that only this request has, for ids and secrets of what it makes. Without its key nobody can tell them. */
  bytesFor(what: string): Uint8Array
}

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
