import { pino } from 'pino'
import { hashPassword } from '../command/password-hash.ts'
import type { Config } from '../config.ts'
import { openParts } from '../composition-root.ts'
import { beginMailHere } from '../use-cases/mail-start.ts'
import { castOf } from './cast.ts'
import { DAY, HOUR, midnight } from './calendar.ts'
import { openChance } from './chance.ts'
import type { Deed } from './deeds.ts'
import { demoKeys, openClock, openFirm } from './firm.ts'
import { openPeople } from './people.ts'
import { tellStory } from './story.ts'

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
export interface ShownTrader {
  readonly email: string
  readonly see: string
}

/** The one password of all traders. */
export const DEMO_PASSWORD = 'proofdesk demo'

/** Deeds of the platform's feed are done together, up to so many: the log keeps them in one go. */
const TOGETHER = 200

/** Makes a believable firm in an empty data folder. No mail is sent about what it did. */
export async function makeFirm({ config, traders, seed, until }: DemoOptions): Promise<ShownTrader[]> {
  const chance = openChance(seed)
  const { notables, others } = castOf(traders, until, openPeople(chance), chance)
  const characters = [...notables.map(({ character }) => character), ...others]
  const deeds = characters.flatMap((character) => tellStory(character, until, chance)).sort((one, other) => one.at - other.at)
  const founded = midnight((deeds[0]?.at ?? until) - DAY) + 9 * HOUR

  const clock = openClock()
  const parts = await clock.at(founded, () => openParts(config, pino({ level: 'silent' }), clock.now))
  try {
    const firm = await openFirm(parts, clock, await hashPassword(DEMO_PASSWORD), founded)
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
    await clock.at(until, () => beginMailHere(parts))
  } finally {
    await parts.close()
  }
  return notables.map(({ character: { profile }, see }) => ({ email: profile.email, see }))
}

/** The access keys that open it. */
export const shownKeys = Object.values(demoKeys)

/** Deeds in their order: one by one, but for those of the feed that follow each other and are about different accounts. */
function* waves(deeds: readonly Deed[]): Generator<Deed[]> {
  let wave: Deed[] = []
  const about = new Set<string>()
  for (const deed of deeds) {
    const isFeed = deed.kind === 'set' && deed.by === 'platform feed'
    if (!isFeed || about.has(deed.userId) || wave.length >= TOGETHER) {
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
