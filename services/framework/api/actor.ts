import { z } from 'zod'

/**
 * Who made a change, as it is shown and decided on: a trader, an administrator named by the label of the key, a program
 * that calls with a key, or a part of the portal itself.
 */
export const actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('trader'), id: z.string() }),
  z.object({ kind: z.literal('admin'), id: z.string(), label: z.string() }),
  z.object({ kind: z.literal('program'), id: z.string(), label: z.string() }),
  z.object({ kind: z.literal('system'), label: z.string() }),
])

export type Actor = z.infer<typeof actor>

/** The kinds of actors. */
export const actorKinds = ['trader', 'admin', 'program', 'system'] as const
