import { programmeId, userId } from '#services/framework/ids.ts'
import { programmeOf } from '#services/programmes/programmes/challenges.ts'
import { atDesk, DAY, HOUR, MINUTE } from './agenda.ts'
import { createPeopleGenerator } from './people.ts'
import type { Random } from './random.ts'
import { SPRINT } from './sprint.ts'
import type { AccountScenario, EnrolmentScenario, TraderScenario } from './trader-story.ts'

/** The traders of the made-up firm: a few worth a visit, and many others. */

/** A trader whose sign-in the demo prints, with a word on what to see. */
interface Featured extends Omit<TraderScenario, 'userId' | 'profile'> {
  readonly name: string
  readonly country: string
  readonly city: string
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

/** The traders of a firm at a moment, and what to see of the featured ones. */
export function createTraders(count: number, until: number, random: Random) {
  const people = createPeopleGenerator(random)
  const newId = () => userId.parse(random.letters(16))
  const featured = featuredTraders(until).map(({ name, country, city, see, ...scenario }) => {
    const profile = people.personNamed(name, country, city)
    return { see, scenario: { ...scenario, userId: newId(), profile } satisfies TraderScenario }
  })
  const others = Array.from({ length: count - featured.length }, (_, n): TraderScenario => ({
    ...{ profile: people.randomPerson(), userId: newId() },
    ...otherTrader(n, until, random),
  }))
  return { featured, scenarios: [...featured.map(({ scenario }) => scenario), ...others] }
}

function otherTrader(number: number, until: number, random: Random): Omit<TraderScenario, 'userId' | 'profile'> {
  // Most joined in the last months.
  const from = Math.round(until - HISTORY * (1 - random.next() ** 0.8)) - random.whole(0, 9) * HOUR - HOUR
  const skill = random.next()
  const drift = skill < 0.4 ? -0.0028 : skill < 0.72 ? 0.0004 : 0.0036
  const deviation = 0.006 + random.next() * 0.006
  const [drawn, steps] = [random.pick(sizes), random.next() < 0.3 ? (1 as const) : (2 as const)]
  const ofFirm = number % 11 === 4 ? { id: SPRINT } : {}
  const size = number % 11 === 4 && number % 8 !== 7 ? 50_000 : drawn
  const account = { from, size, steps, gain: () => drift + deviation * random.normal() }
  // One in eight has an account from before the firm had programmes, or with terms of its own.
  const scenario = number % 8 === 7 ? account : under(account, { ...otherEnrolment(number), ...ofFirm })
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

function otherEnrolment(number: number): Partial<EnrolmentScenario> {
  const isOfFirm = number % 11 === 4
  return {
    observed: !isOfFirm && number % 9 === 2 ? 'days' : !isOfFirm && number % 23 === 6 ? 'typed' : 'trades',
    by: number % 4 === 1 ? 'staff' : 'shop',
    ...(number % 29 === 9 && { dismisses: 'The loss came from a quote that the platform has since taken back.' }),
    ...(number % 12 === 5 && { accepts: false }),
  }
}

/** Under the preset of its size; the shop enrols, the platform's trades come in by themselves. */
function under(account: AccountScenario, enrolment: Partial<EnrolmentScenario> = {}): AccountScenario {
  const id = programmeId.parse(programmeOf(account.steps === 1 ? 'one-step' : 'two-step', account.size))
  return { ...account, programme: { id, by: 'shop', observed: 'trades', ...enrolment } }
}

/** The same ups and downs for each, so that their description holds. */
const steady = (gain: number) => (day: number) => gain + ([0.004, -0.003, 0.002, -0.004, 0.001][day % 5] ?? 0)

function featuredTraders(until: number): readonly Featured[] {
  const ago = (days: number) => until - days * DAY
  const rising = (gain: number, days: number, then: number) => (day: number) => (day < days ? gain : then)
  return [
    {
      ...{ name: 'Amelia Whitfield', country: 'uk', city: 'London' },
      see: 'funded and eligible: payouts paid, certificates',
      ...under({ from: ago(150), size: 100_000, steps: 2, gain: steady(0.0042), payouts: 'all decided' }),
    },
    {
      ...{ name: 'Greta Lindner', country: 'de', city: 'Berlin' },
      see: 'three enrolments: one breached, one funded, one in Phase 2',
      ...under({ from: ago(140), size: 25_000, steps: 2, gain: steady(-0.0045) }),
      further: [
        under({ from: ago(125), size: 50_000, steps: 2, gain: steady(0.005), payouts: 'all decided' }),
        under({ from: ago(40), size: 100_000, steps: 2, gain: rising(0.0068, 13, 0.0002) }),
      ],
    },
    {
      ...{ name: 'Kenji Tanaka', country: 'jp', city: 'Osaka' },
      see: 'close to the daily loss limit',
      ...under({ from: ago(52), size: 50_000, steps: 1, gain: steady(0.0012), today: () => -0.043 }),
    },
    {
      ...{ name: 'Yui Nakamura', country: 'jp', city: 'Tokyo' },
      see: 'nearly at the profit target of Phase 1',
      ...under({ from: ago(24), size: 25_000, steps: 2, gain: rising(0.0068, 11, 0.0001) }),
    },
    {
      ...{ name: 'Chloe Tremblay', country: 'ca', city: 'Montreal' },
      see: 'at the profit target of Phase 1 since today: staff confirm the pass',
      ...under({ from: ago(25), size: 100_000, steps: 2, gain: steady(0.0038), today: (profit) => 0.0815 - profit }),
    },
    {
      ...{ name: 'Jonas Vogel', country: 'de', city: 'Köln' },
      see: 'passed Phase 1: the account of Phase 2 waits for its login',
      ...under({ from: ago(26), size: 50_000, steps: 2, gain: steady(0.011) }, { waitsForLogin: 2 }),
    },
    {
      ...{ name: 'Oliver Patel', country: 'uk', city: 'Leeds' },
      see: 'a payout that waits for its verdict',
      ...under({ from: ago(120), size: 50_000, steps: 1, gain: steady(0.0046), payouts: 'one waits' }),
    },
    {
      ...{ name: 'Matilda Harrison', country: 'au', city: 'Perth' },
      see: 'an approved payout that is paid with the next batch',
      ...under({ from: ago(100), size: 100_000, steps: 1, gain: steady(0.005), payouts: 'one is owed' }),
    },
    {
      ...{ name: 'Camille Moreau', country: 'fr', city: 'Lyon' },
      see: 'a rejected payout, with the reason in its notes',
      ...under({ from: ago(130), size: 25_000, steps: 2, gain: steady(0.005), payouts: 'last one rejected' }),
    },
    {
      ...{ name: 'Fatou Diallo', country: 'fr', city: 'Paris' },
      see: 'under review: the rules found a breach today, and staff decide',
      ...under({ from: ago(70), size: 10_000, steps: 2, gain: steady(0.001), today: () => -0.0544 }),
      note: {
        at: until - 15 * MINUTE,
        text: 'Called at once: the platform stood still for a minute. Asked for pictures.',
      },
    },
    {
      ...{ name: 'Diego Ramirez', country: 'us', city: 'Austin' },
      see: 'breached the overall loss limit: by the rules alone, with the evidence',
      ...under({ from: ago(80), size: 50_000, steps: 1, gain: steady(-0.0045) }, { id: SPRINT, staysOnPlatform: true }),
    },
    {
      ...{ name: 'Johanna Böhm', country: 'de', city: 'Leipzig' },
      see: 'breached the maximum loss: confirmed by staff, with the evidence',
      ...under({ from: ago(110), size: 10_000, steps: 2, gain: steady(-0.0045) }, { by: 'staff', observed: 'days' }),
    },
    {
      ...{ name: 'Aylin Demir', country: 'de', city: 'Stuttgart' },
      see: 'active: staff dismissed the breach that the rules found',
      ...under(
        { from: ago(50), size: 50_000, steps: 2, gain: (day) => (day === 14 ? -0.0531 : steady(0.0015)(day)) },
        { dismisses: 'The loss came from a wrong quote of EURUSD, which the platform has since taken back.' },
      ),
    },
    {
      ...{ name: 'Owen Campbell', country: 'ca', city: 'Toronto' },
      see: 'trades of the last days came with a statement',
      ...under({ from: ago(45), size: 25_000, steps: 2, gain: steady(0.0012) }, { leavesOut: until - 8 * DAY }),
    },
    {
      ...{ name: 'Imogen Fairbairn', country: 'uk', city: 'Glasgow' },
      see: 'without a programme: funded, with limits that staff widened',
      ...{ from: ago(150), size: 100_000, steps: 2, gain: steady(0.0042), payouts: 'all decided' },
      widened: atDesk(ago(20)),
    },
    {
      ...{ name: 'Nadia Rahman', country: 'uk', city: 'Bristol' },
      see: 'without a programme, active again: her breach was a mistake and is corrected',
      ...{ from: ago(60), size: 50_000, steps: 2, gain: steady(0.0012) },
      mistake: { at: atDesk(ago(12)), correctedAt: atDesk(ago(11)) },
    },
    {
      ...{ name: 'Lukas Brandt', country: 'de', city: 'Hamburg' },
      see: 'signed up just now: pending',
      ...{ from: until - 90 * MINUTE, size: 10_000, steps: 2, gain: () => 0 },
    },
    {
      ...{ name: 'Tyler Brooks', country: 'us', city: 'Miami' },
      see: 'banned: the sign-in says why',
      ...under({ from: ago(95), size: 100_000, steps: 1, gain: steady(0.002) }),
      ban: { at: atDesk(ago(9)), reason: 'Copied trades between several accounts' },
    },
  ]
}
