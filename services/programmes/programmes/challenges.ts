/** The challenges that the firm offers (specification §2, §9), and the programme that each begins with. */

export const challenges = ['one-step', 'two-step'] as const
export type Challenge = (typeof challenges)[number]

/** In US dollars. */
export const accountSizes = [5000, 10_000, 25_000, 50_000, 100_000, 200_000] as const

/** The id of a challenge's programme: 'one-step-100000'. @param size in whole dollars */
export function programmeOf(challenge: Challenge, size: number): string {
  return `${challenge}-${size}`
}
