import { pino } from 'pino'
import { createPasswordHashing } from '#services/authentication/password-hash.ts'
import { type Dependencies, openDependencies, prepareDecisions } from '#services/composition-root.ts'
import type { Config } from '#services/config.ts'
import type { Actor } from '#services/api/actor.ts'
import type { EventReference } from '#services/modules/accounts/decision-reason.ts'
import { type AccountId, accountIdOf } from '#services/modules/ids.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { AccessKeys, adminKeyIdOf } from '#services/modules/staff/server/access-keys.ts'
import { startMailFromNow } from '#services/modules/installation/server/mail-start.ts'
import { syncSuspension } from '#services/modules/users/server/account-suspension.ts'
import { eraseUser } from '#services/modules/index.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { DAY, HOUR, midnight } from './calendar.ts'
import { certificateFile, createHistory, type FirmActor, type HistoryEntry, type Operation } from './history.ts'
import { createLogWriter } from './log-writer.ts'
import { createPaymentsDesk } from './payments-desk.ts'
import { createPeopleGenerator } from './people.ts'
import { createRandom } from './random.ts'
import { createScenarios } from './trader-scenarios.ts'
import { tellTraderStory } from './trader-story.ts'

/** The access keys that open the firm. */
export const demoKeys = [
  { desk: 'payouts desk', label: 'Dana Whitlock, payouts desk', role: 'admin', accessKey: 'demo-payouts-desk' },
  { desk: 'risk desk', label: 'Marcus Oyelaran, risk desk', role: 'admin', accessKey: 'demo-risk-desk' },
  { desk: undefined, label: 'Haldane & Roe, auditors', role: 'auditor', accessKey: 'demo-auditor' },
] as const

/** The password of all traders. */
export const DEMO_PASSWORD = 'proofdesk demo'

const FIRM_ACCOUNT = { name: 'Proofdesk Demo Ltd', iban: 'GB33BUKB20201555555555', bic: 'BUKBGB22' }

interface DemoOptions {
  readonly config: Config
  /** How many traders there are. */
  readonly traders: number
  /** The same seed and moment give the same firm. */
  readonly seed: number
  /** When its history ends, ms since 1970. */
  readonly until: number
}

/**
 * Writes a believable firm into an empty data folder, without mails about its past. Returns the traders worth a visit.
 */
export async function generateFirm({
  config,
  traders,
  seed,
  until,
}: DemoOptions): Promise<{ email: string; see: string }[]> {
  const random = createRandom(seed)
  const { featured, others } = createScenarios(traders, until, createPeopleGenerator(random), random)
  const scenarios = [...featured.map(({ scenario }) => scenario), ...others]
  const story = scenarios
    .flatMap((scenario) => tellTraderStory(scenario, until, random))
    .sort((one, other) => one.at - other.at)
  const founded = midnight((story[0]?.at ?? until) - DAY) + 9 * HOUR

  let now = founded
  const parts = await openDependencies(config, pino({ level: 'silent' }), () => now)
  try {
    await prepareDecisions(parts)
    const staff = demoKeys.map((key) => {
      const keyHash = parts.secrets.accessKeyHash(key.accessKey)
      return { ...key, keyHash, keyId: adminKeyIdOf(keyHash) }
    })
    const keyOf = (desk: FirmActor): string => {
      const member = staff.find((each) => each.desk === desk)
      if (!member) throw new Error(`There is no ${desk}`)
      return member.keyId
    }
    const history = createHistory({
      passwordHash: await createPasswordHashing().hash(DEMO_PASSWORD),
      emailClaimOf: (email) => parts.secrets.emailHash(email),
      loginClaimOf: (server, login) => parts.secrets.platformLoginHash(server, login),
    })
    const writer = createLogWriter({
      ...parts,
      actorOf: (entry) => actorOf(entry, staff),
      groupSize: config.eventstoreUrl ? 1 : 200,
    })

    const perform = async (operation: Operation): Promise<void> => {
      now = operation.at
      if (operation.kind === 'change account' && operation.correctsBreach) {
        await writer.flush()
        const corrects = await findBreach(accountIdOf(operation.userId, operation.account ?? 1), parts)
        return writer.write(history.perform({ ...operation, reason: { ...operation.reason, corrects } }))
      }
      await writer.write(history.perform(operation))
      switch (operation.kind) {
        case 'issue certificate':
          return parts.fileStore.put(certificateFile(operation).file, operation.content, 'application/pdf')
        case 'ban':
        case 'unban':
          await writer.flush()
          return syncSuspension(operation.userId, { ...parts, sessions: parts.sessionStore })
        case 'close account':
          await writer.flush()
          await eraseUser(operation.userId, systemContext('demo', 'demo'), parts.policyDependencies)
      }
    }

    for (const { keyId, label, role, keyHash } of staff)
      await perform({ at: founded, kind: 'issue key', keyId, label, role, keyHash })
    await writer.flush()
    // With a key of its own the firm needs none at its first start.
    await new AccessKeys(parts.repositories, parts.secrets).ensureFirstKey(demoKeys[0].accessKey, 'demo')
    const [maker, releaser] = [keyOf('payouts desk'), keyOf('risk desk')]
    await perform({ at: founded, kind: 'set firm account', keyId: maker, firmAccount: FIRM_ACCOUNT })
    const payments = createPaymentsDesk({
      ...{ from: founded, until, maker, releaser, random: createRandom(seed + 1) },
      ...{ owed: history.owed, payoutsIn: history.payoutsIn },
    })
    const payUntil = async (moment: number): Promise<void> => {
      for (const operation of payments.until(moment)) await perform(operation)
    }
    let signedIn = founded
    for (const operation of story) {
      await payUntil(operation.at)
      if (operation.at - signedIn > 7 * DAY) {
        signedIn = operation.at
        for (const { keyId } of staff) await perform({ at: signedIn, kind: 'sign in', keyId })
      }
      await perform(operation)
    }
    await payUntil(until)
    for (const operation of payments.heldAt(until - HOUR)) await perform(operation)
    await writer.flush()
    now = until
    await startMailFromNow(parts)
    // So that exports have their proofs at once, not after the first interval.
    await createSealer({ ...parts, origin: parts.logOrigin, checkpoints: parts.readModelStore.checkpoints }).sealAll()
  } finally {
    await parts.close()
  }
  return featured.map(({ scenario: { profile }, see }) => ({ email: profile.email, see }))
}

interface StaffMember {
  readonly desk: FirmActor | undefined
  readonly label: string
  readonly keyId: string
}

function actorOf({ by, operation }: HistoryEntry, staff: readonly StaffMember[]): Actor {
  if (by === 'trader' && 'userId' in operation) return { kind: 'trader', id: operation.userId }
  const member = staff.find(
    ({ desk, keyId }) => desk === by || (by === 'key holder' && 'keyId' in operation && keyId === operation.keyId),
  )
  return member ? { kind: 'admin', id: member.keyId, label: member.label } : { kind: 'system', label: by }
}

/** The breach that an account is in. */
async function findBreach(id: AccountId, { repositories }: Dependencies): Promise<EventReference | null> {
  const repository = repositories.of(accounts)
  const { state } = await repository.load(id)
  if (state.account.breachRevision === null) return null
  for await (const event of repository.readEvents(id, state.account.breachRevision))
    return { revision: event.revision, number: eventNumber(event) }
  return null
}
