import { pino } from 'pino'
import { hashPassword } from '../command/password-hash.ts'
import type { Config } from '../config.ts'
import { openDependencies } from '../composition-root.ts'
import { startMailFromNow } from '../use-cases/mail-start.ts'
import { createCast } from './cast.ts'
import { DAY, HOUR, midnight } from './calendar.ts'
import { createRandom } from './chance.ts'
import type { DemoOperation } from './deeds.ts'
import { demoKeys, createDemoClock, createFirm } from './firm.ts'
import { createPeopleGenerator } from './people.ts'
import { generateOperations } from './story.ts'

export interface DemoOptions {
  readonly config: Config
  /** How many traders there are. */
  readonly traders: number
  /** The same seed at the same moment makes the same firm. */
  readonly seed: number
  /** Where its history ends, ms since 1970. */
  readonly until: number
}

/** A trader whose sign-in is shown. */
export interface FeaturedTrader {
  readonly email: string
  readonly see: string
}

/** The one password of all traders. */
export const DEMO_PASSWORD = 'proofdesk demo'

/** Deeds of the platform's feed are done together, up to so many: the log keeps them in one go. */
const CONCURRENCY = 200

/** Makes a believable firm in an empty data folder. No mail is sent about what it did. */
export async function generateFirm({ config, traders, seed, until }: DemoOptions): Promise<FeaturedTrader[]> {
  const chance = createRandom(seed)
  const { notables, others } = createCast(traders, until, createPeopleGenerator(chance), chance)
  const characters = [...notables.map(({ character }) => character), ...others]
  const deeds = characters.flatMap((character) => generateOperations(character, until, chance)).sort((one, other) => one.at - other.at)
  const founded = midnight((deeds[0]?.at ?? until) - DAY) + 9 * HOUR

  const clock = createDemoClock()
  const parts = await clock.at(founded, () => openDependencies(config, pino({ level: 'silent' }), clock.now))
  try {
    const firm = await createFirm(parts, clock, await hashPassword(DEMO_PASSWORD), founded)
    let signedIn = founded
    for (const wave of waves(deeds)) {
      const [first] = wave
      if (first && first.at - signedIn > 7 * DAY) {
        for (const key of ['payouts desk', 'risk desk', 'auditor'] as const) await firm.signIn(key, first.at)
        signedIn = first.at
      }
      await Promise.all(wave.map(firm.perform))
    }
    // All that it leads to was done: the mails of the past are not sent any more.
    await clock.at(until, () => startMailFromNow(parts))
  } finally {
    await parts.close()
  }
  return notables.map(({ character: { profile }, see }) => ({ email: profile.email, see }))
}

/** The access keys that open it. */
export const demoKeyList = Object.values(demoKeys)

/** Deeds in their order: one by one, but for those of the feed that follow each other and are about different accounts. */
function* waves(deeds: readonly DemoOperation[]): Generator<DemoOperation[]> {
  let wave: DemoOperation[] = []
  const about = new Set<string>()
  for (const deed of deeds) {
    const isFeed = deed.kind === 'set' && deed.by === 'platform feed'
    if (!isFeed || about.has(deed.userId) || wave.length >= CONCURRENCY) {
      if (wave.length > 0) yield wave
      wave = []
      about.clear()
    }
    if (isFeed) {
      wave.push(deed)
      about.add(deed.userId)
    } else yield [deed]
  }
  if (wave.length > 0) yield wave
}
