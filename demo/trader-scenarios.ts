import { userId } from '#services/modules/ids.ts'
import type { Profile } from '#services/modules/users/profile.ts'
import { atDesk, DAY, HOUR } from './calendar.ts'
import type { Random } from './random.ts'
import type { PeopleGenerator } from './people.ts'
import type { TraderScenario } from './trader-story.ts'

/** The traders of the made-up firm: a few worth a visit, and many others. */

/** A trader whose sign-in the demo prints, with a word on what to see. */
interface FeaturedScenario {
  readonly scenario: TraderScenario
  readonly see: string
}

/** How long the firm has existed. */
const HISTORY = 183 * DAY
const sizes = [5_000, 10_000, 10_000, 25_000, 25_000, 50_000, 50_000, 100_000, 200_000]

const bans = [
  'Copied trades between several accounts',
  'Account was traded by another person',
  'Forged proof of identity',
  'Exploited delayed prices of the demo feed',
  'Hedged across two accounts of one household',
  'Charged the challenge fee back after breaching',
]

export function createScenarios(count: number, until: number, people: PeopleGenerator, random: Random) {
  const featured = featuredScenarios(until, people, random)
  const others = Array.from({ length: count - featured.length }, (_, n) =>
    otherScenario(n, until, people.randomPerson(), random),
  )
  return { featured, others }
}

function otherScenario(number: number, until: number, profile: Profile, random: Random): TraderScenario {
  // Most joined in the last months.
  const from = Math.round(until - HISTORY * (1 - random.next() ** 0.8)) - random.whole(0, 9) * HOUR - HOUR
  const skill = random.next()
  const drift = skill < 0.4 ? -0.0028 : skill < 0.72 ? 0.0004 : 0.0036
  const deviation = 0.006 + random.next() * 0.006
  const scenario: TraderScenario = {
    userId: userId.parse(random.letters(16)),
    profile,
    from,
    size: random.pick(sizes),
    steps: random.next() < 0.3 ? 1 : 2,
    gain: () => drift + deviation * random.normal(),
  }
  const lived = until - from
  const since = (share: number) => atDesk(Math.round(from + lived * share))
  const reason = bans[Math.floor(number / 17)]
  if (number % 17 === 5 && reason !== undefined && lived > 20 * DAY) {
    const at = since(0.7)
    return { ...scenario, ban: { at, reason, ...(number === 39 && { liftedAt: atDesk(at + 3 * DAY) }) } }
  }
  if (number === 60 || number === 140) return { ...scenario, deletedAt: since(0.8) }
  if (number % 19 === 3 && lived > 10 * DAY) {
    const start = since(number % 2 === 0 ? 0.92 : 0.5)
    return { ...scenario, review: number % 2 === 0 ? { from: start } : { from: start, until: atDesk(start + 3 * DAY) } }
  }
  return scenario
}

function featuredScenarios(until: number, people: PeopleGenerator, random: Random): FeaturedScenario[] {
  const ago = (days: number) => until - days * DAY
  /** The same ups and downs for each, so that their description holds. */
  const steady = (gain: number) => (day: number) => gain + ([0.004, -0.003, 0.002, -0.004, 0.001][day % 5] ?? 0)
  const one = (
    fullName: string,
    country: string,
    city: string,
    rest: Omit<TraderScenario, 'userId' | 'profile'>,
    see: string,
  ): FeaturedScenario => {
    const profile = people.personNamed(fullName, country, city)
    return { scenario: { userId: userId.parse(random.letters(16)), profile, ...rest }, see }
  }
  return [
    one(
      'Amelia Whitfield',
      'uk',
      'London',
      {
        from: ago(150),
        size: 100_000,
        steps: 2,
        gain: steady(0.0042),
        payouts: 'all decided',
        widened: atDesk(ago(20)),
      },
      'funded and eligible: payouts paid, certificates',
    ),
    one(
      'Greta Lindner',
      'de',
      'Berlin',
      {
        from: ago(140),
        size: 25_000,
        steps: 2,
        gain: steady(-0.0045),
        further: [
          { from: ago(125), size: 50_000, steps: 2, gain: steady(0.005), payouts: 'all decided' },
          { from: ago(40), size: 100_000, steps: 2, gain: (day) => (day < 13 ? 0.0068 : 0.0002) },
        ],
      },
      'three accounts: one breached, one funded, one in Phase 2',
    ),
    one(
      'Kenji Tanaka',
      'jp',
      'Osaka',
      { from: ago(52), size: 50_000, steps: 1, gain: steady(0.0012), lossToday: 0.043 },
      'close to the daily loss limit',
    ),
    one(
      'Yui Nakamura',
      'jp',
      'Tokyo',
      { from: ago(24), size: 25_000, steps: 2, gain: (day) => (day < 11 ? 0.0068 : 0.0001) },
      'nearly at the profit target of Phase 1',
    ),
    one(
      'Oliver Patel',
      'uk',
      'Leeds',
      { from: ago(120), size: 50_000, steps: 1, gain: steady(0.0046), payouts: 'one waits' },
      'a payout that waits for its verdict',
    ),
    one(
      'Camille Moreau',
      'fr',
      'Lyon',
      { from: ago(130), size: 25_000, steps: 2, gain: steady(0.005), payouts: 'last one rejected' },
      'a rejected payout, with the reason in its notes',
    ),
    one(
      'Fatou Diallo',
      'fr',
      'Paris',
      { from: ago(70), size: 10_000, steps: 2, gain: steady(0.001), review: { from: atDesk(ago(3)) } },
      'under review',
    ),
    one(
      'Diego Ramirez',
      'us',
      'Austin',
      { from: ago(80), size: 10_000, steps: 1, gain: steady(-0.0045) },
      'breached the overall loss limit, with the evidence',
    ),
    one(
      'Nadia Rahman',
      'uk',
      'Bristol',
      {
        from: ago(60),
        size: 50_000,
        steps: 2,
        gain: steady(0.0012),
        mistake: { at: atDesk(ago(12)), correctedAt: atDesk(ago(11)) },
      },
      'active again: her breach was a mistake and is corrected',
    ),
    one(
      'Lukas Brandt',
      'de',
      'Hamburg',
      { from: until - 90 * 60_000, size: 10_000, steps: 2, gain: () => 0 },
      'signed up just now: pending',
    ),
    one(
      'Tyler Brooks',
      'us',
      'Miami',
      {
        from: ago(95),
        size: 100_000,
        steps: 1,
        gain: steady(0.002),
        ban: { at: atDesk(ago(9)), reason: 'Copied trades between several accounts' },
      },
      'banned: the sign-in says why',
    ),
  ]
}
