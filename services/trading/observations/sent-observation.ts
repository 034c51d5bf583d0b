import { codePointName, unseenCharacter } from '#services/framework/api/unseen-characters.ts'
import { observation } from '#services/rules/observation.ts'

/** An observation as programs and staff send it. Payouts and the passing of time are the portal's own. */
export const sentObservation = observation.superRefine((sent, context) => {
  if (sent.kind === 'payout' || sent.kind === 'clock')
    context.addIssue({
      code: 'custom',
      path: ['kind'],
      message: 'expected "state", "trade", "day" or "transfer": the portal knows payouts and the time itself',
    })
  for (const field of ['id', 'why'] as const) {
    const text = field in sent ? Object.entries(sent).find(([name]) => name === field)?.[1] : undefined
    const unseen = typeof text === 'string' ? unseenCharacter(text) : undefined
    if (unseen !== undefined)
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `expected no invisible character (${codePointName(unseen)})`,
      })
  }
})

/** How far a clock may be ahead of the portal's, in ms. */
const MOST_AHEAD = 5 * 60_000

/** What is wrong with the instant of an observation; null where it may be. */
export function futureFault({ at }: { readonly at: { readonly ms: number } }, now: number): string | null {
  return at.ms > now + MOST_AHEAD ? 'at: expected an instant that is at most 5 minutes in the future' : null
}
