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

/** A member of staff, as an event names them. */
export const staffMember = z.object({ id: z.string(), name: z.string() })
export type StaffMember = z.infer<typeof staffMember>

/** The member of staff who caused an event; null where none did. */
export function staffBehind({ metadata }: { readonly metadata: { readonly actor: unknown } }): StaffMember | null {
  const by = actor.parse(metadata.actor)
  return by.kind === 'admin' ? { id: by.id, name: by.label } : null
}
