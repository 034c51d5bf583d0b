import { type Challenge, programmeOf } from '#services/programmes/offers/challenges.ts'
import { type ProgrammeId, programmeId, userId } from '#services/framework/ids.ts'
import type { Profile } from '#services/identity/users/profile.ts'
import { atDesk, DAY, HOUR } from './calendar.ts'
import type { Random } from './random.ts'
import type { PeopleGenerator } from './people.ts'
import { SPRINT } from './sprint.ts'
import type { AccountScenario, EnrolmentScenario, TraderScenario } from './trader-story.ts'

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
  const account: AccountScenario = {
    from,
    size: random.pick(sizes),
    steps: random.next() < 0.3 ? 1 : 2,
    gain: () => drift + deviation * random.normal(),
  }
  const programme = otherProgramme(number, account)
  const size = programme?.id === SPRINT ? 50_000 : account.size
  const identity = { userId: userId.parse(random.letters(16)), profile }
  const scenario: TraderScenario = { ...identity, ...account, size, ...(programme && { programme }) }
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

/** One in eight has an account from before the firm had programmes, or with terms of its own. */
function otherProgramme(number: number, account: AccountScenario): EnrolmentScenario | undefined {
  if (number % 8 === 7) return undefined
  const id = number % 11 === 4 ? SPRINT : presetOf(account)
  const observed = number % 9 === 2 && id !== SPRINT ? 'days' : number % 23 === 6 && id !== SPRINT ? 'typed' : 'trades'
  const dismisses = number % 29 === 9 ? 'The loss came from a quote that the platform has since taken back.' : undefined
  return {
    ...{ id, observed, by: number % 4 === 1 ? 'staff' : 'shop' },
    ...(dismisses !== undefined && { dismisses }),
    ...(number % 12 === 5 && { accepts: false }),
  }
}

function presetOf({ steps, size }: Pick<AccountScenario, 'steps' | 'size'>): ProgrammeId {
  const challenge: Challenge = steps === 1 ? 'one-step' : 'two-step'
  return programmeId.parse(programmeOf(challenge, size))
}

function featuredScenarios(until: number, people: PeopleGenerator, random: Random): FeaturedScenario[] {
  const ago = (days: number) => until - days * DAY
  /** The same ups and downs for each, so that their description holds. */
  const steady = (gain: number) => (day: number) => gain + ([0.004, -0.003, 0.002, -0.004, 0.001][day % 5] ?? 0)
  /** Under the preset of its size; the shop enrols, the platform's trades come in by themselves. */
  const under = (
    account: Omit<AccountScenario, 'programme'>,
    programme: Partial<EnrolmentScenario> = {},
  ): AccountScenario => ({
    ...account,
    programme: { id: presetOf(account), by: 'shop', observed: 'trades', ...programme },
  })
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
      under({ from: ago(150), size: 100_000, steps: 2, gain: steady(0.0042), payouts: 'all decided' }),
      'funded and eligible: payouts paid, certificates',
    ),
    one(
      'Greta Lindner',
      'de',
      'Berlin',
      {
        ...under({ from: ago(140), size: 25_000, steps: 2, gain: steady(-0.0045) }),
        further: [
          under({ from: ago(125), size: 50_000, steps: 2, gain: steady(0.005), payouts: 'all decided' }),
          under({ from: ago(40), size: 100_000, steps: 2, gain: (day) => (day < 13 ? 0.0068 : 0.0002) }),
        ],
      },
      'three enrolments: one breached, one funded, one in Phase 2',
    ),
    one(
      'Kenji Tanaka',
      'jp',
      'Osaka',
      under({ from: ago(52), size: 50_000, steps: 1, gain: steady(0.0012), today: () => -0.043 }),
      'close to the daily loss limit',
    ),
    one(
      'Yui Nakamura',
      'jp',
      'Tokyo',
      under({ from: ago(24), size: 25_000, steps: 2, gain: (day) => (day < 11 ? 0.0068 : 0.0001) }),
      'nearly at the profit target of Phase 1',
    ),
    one(
      'Chloe Tremblay',
      'ca',
      'Montreal',
      under({ from: ago(25), size: 100_000, steps: 2, gain: steady(0.0038), today: (profit) => 0.0815 - profit }),
      'at the profit target of Phase 1 since today: staff confirm the pass',
    ),
    one(
      'Jonas Vogel',
      'de',
      'Köln',
      under({ from: ago(26), size: 50_000, steps: 2, gain: steady(0.011) }, { waitsForLogin: 2 }),
      'passed Phase 1: the account of Phase 2 waits for its login',
    ),
    one(
      'Oliver Patel',
      'uk',
      'Leeds',
      under({ from: ago(120), size: 50_000, steps: 1, gain: steady(0.0046), payouts: 'one waits' }),
      'a payout that waits for its verdict',
    ),
    one(
      'Matilda Harrison',
      'au',
      'Perth',
      under({ from: ago(100), size: 100_000, steps: 1, gain: steady(0.005), payouts: 'one is owed' }),
      'an approved payout that is paid with the next batch',
    ),
    one(
      'Camille Moreau',
      'fr',
      'Lyon',
      under({ from: ago(130), size: 25_000, steps: 2, gain: steady(0.005), payouts: 'last one rejected' }),
      'a rejected payout, with the reason in its notes',
    ),
    one(
      'Fatou Diallo',
      'fr',
      'Paris',
      under({ from: ago(70), size: 10_000, steps: 2, gain: steady(0.001), today: () => -0.0544 }),
      'under review: the rules found a breach today, and staff decide',
    ),
    one(
      'Diego Ramirez',
      'us',
      'Austin',
      under({ from: ago(80), size: 50_000, steps: 1, gain: steady(-0.0045) }, { id: SPRINT, staysOnPlatform: true }),
      'breached the overall loss limit: by the rules alone, with the evidence',
    ),
    one(
      'Johanna Böhm',
      'de',
      'Leipzig',
      under({ from: ago(110), size: 10_000, steps: 2, gain: steady(-0.0045) }, { by: 'staff', observed: 'days' }),
      'breached the maximum loss: confirmed by staff, with the evidence',
    ),
    one(
      'Aylin Demir',
      'de',
      'Stuttgart',
      under(
        { from: ago(50), size: 50_000, steps: 2, gain: (day) => (day === 14 ? -0.0531 : steady(0.0015)(day)) },
        { dismisses: 'The loss came from a wrong quote of EURUSD, which the platform has since taken back.' },
      ),
      'active: staff dismissed the breach that the rules found',
    ),
    one(
      'Owen Campbell',
      'ca',
      'Toronto',
      under({ from: ago(45), size: 25_000, steps: 2, gain: steady(0.0012) }, { leavesOut: until - 8 * DAY }),
      'trades of the last days came with a statement',
    ),
    one(
      'Imogen Fairbairn',
      'uk',
      'Glasgow',
      {
        ...{ from: ago(150), size: 100_000, steps: 2, gain: steady(0.0042), payouts: 'all decided' },
        widened: atDesk(ago(20)),
      },
      'without a programme: funded, with limits that staff widened',
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
      'without a programme, active again: her breach was a mistake and is corrected',
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
        ...under({ from: ago(95), size: 100_000, steps: 1, gain: steady(0.002) }),
        ban: { at: atDesk(ago(9)), reason: 'Copied trades between several accounts' },
      },
      'banned: the sign-in says why',
    ),
  ]
}
