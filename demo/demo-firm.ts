import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createPasswordHashing } from '#services/identity/authentication/password-hash.ts'
import { type Dependencies, openDependencies, prepareDecisions } from '#services/portal/composition-root.ts'
import type { Config } from '#services/process/config.ts'
import type { Actor } from '#services/framework/api/actor.ts'
import type { EventReference } from '#services/trading/stream/decision-reason.ts'
import { type AccountId, accountIdOf, orderId } from '#services/framework/ids.ts'
import type { KeyScope } from '#services/identity/api-keys/api-key-vocabulary.ts'
import { programKeyIdOf } from '#services/identity/authentication/program-access.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { AccessKeys, adminKeyIdOf } from '#services/identity/staff/server/access-keys.ts'
import { startMailFromNow } from '#services/operations/installation/server/mail-start.ts'
import { syncSuspension } from '#services/identity/users/server/account-suspension.ts'
import { eraseUser } from '#services/portal/modules.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { atDesk, DAY, HOUR, midnight, MINUTE } from './calendar.ts'
import { certificateFile, createHistory, type FirmActor, type HistoryEntry, type Operation } from './history.ts'
import { createLogWriter } from './log-writer.ts'
import { createAgenda } from './agenda.ts'
import { createPaymentsDesk } from './payments-desk.ts'
import { createPeopleGenerator } from './people.ts'
import { createRandom } from './random.ts'
import { createScenarios } from './trader-scenarios.ts'
import { planTrader } from './programme-story.ts'
import { SPRINT, sprintTerms } from './sprint.ts'
import { importStatement, writeStatement } from './statement.ts'
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
  const founded = midnight(Math.min(...scenarios.map(({ from }) => from)) - DAY) + 9 * HOUR

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
    const programOf = (key: string, name: string, scope: KeyScope): Program => {
      const keyHash = parts.secrets.programKeyHash(key)
      return { programKey: programKeyIdOf(keyHash), name, scopes: [scope], keyHash }
    }
    const history = createHistory({
      passwordHash: await createPasswordHashing().hash(DEMO_PASSWORD),
      emailClaimOf: (email) => parts.secrets.emailHash(email),
      loginClaimOf: (server, login) => parts.secrets.platformLoginHash(server, login),
    })
    const programs = {
      shop: programOf('demo-shop', 'Checkout of the web shop', 'enrolments'),
      bridge: programOf('demo-bridge', 'Bridge to the platforms', 'feed'),
    }
    const writer = createLogWriter({
      ...parts,
      actorOf: (entry) => actorOf(entry, staff, programs),
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
        case 'close accounts':
          await writer.flush()
          await eraseUser(operation.userId, systemContext('demo', 'demo'), parts.policyDependencies)
      }
    }

    /** Of the accounts whose platforms report nothing by themselves: of the last days, and of today. */
    const importStatements = async (): Promise<void> => {
      const random = createRandom(seed + 2)
      const actor = actorOf({ by: 'risk desk' }, staff, programs)
      const silent = scenarios.filter(({ programme }) => programme?.leavesOut !== undefined)
      for (const { userId, programme } of silent) {
        const state = history.accountOf(accountIdOf(userId, 1))
        const from = programme?.leavesOut ?? until
        const imports = [
          { at: atDesk(until - DAY - 9 * HOUR), until: until - DAY - 9 * HOUR, confirmed: true },
          { at: until - 20 * MINUTE, until: until - HOUR, confirmed: false },
        ]
        for (const { at, until: end, confirmed } of imports) {
          now = at
          const request = randomUUID()
          await importStatement(
            parts,
            {
              ...{ id: random.letters(16), server: state.account.server ?? '', confirmed },
              statement: writeStatement(state, from, end, createRandom(seed + 3)),
            },
            { actor, requestId: request, causationId: request, correlationId: request },
            () => now,
          )
        }
      }
    }

    for (const { keyId, label, role, keyHash } of staff)
      await perform({ at: founded, kind: 'issue key', keyId, label, role, keyHash })
    await writer.flush()
    // With a key of its own the firm needs none at its first start.
    await new AccessKeys(parts.repositories, parts.secrets).ensureFirstKey(demoKeys[0].accessKey, 'demo')
    const [maker, releaser] = [keyOf('payouts desk'), keyOf('risk desk')]
    await perform({ at: founded, kind: 'set firm account', keyId: maker, firmAccount: FIRM_ACCOUNT })
    await perform({ at: founded, kind: 'publish presets', keyId: maker })
    for (const { programKey, name, scopes, keyHash } of Object.values(programs))
      await perform({
        ...{ at: founded, kind: 'issue program key', keyId: maker, programKey, name, scopes, keyHash },
        expiresAt: until + 365 * DAY,
      })
    const agenda = createAgenda()
    const payments = createPaymentsDesk({
      ...{ from: founded, until, maker, releaser, random: createRandom(seed + 1), agenda },
      ...{ owed: history.owed, payoutsIn: history.payoutsIn },
    })
    const drafts = [
      ['draft programme', founded + HOUR, '40'],
      ['publish programme', founded + 2 * HOUR],
      ['draft programme', until - 2 * DAY, '30'],
    ] as const
    for (const [kind, at, share] of drafts)
      agenda.add(at, () => [
        kind === 'publish programme'
          ? { at, kind, keyId: releaser, programme: SPRINT }
          : { at, kind, keyId: releaser, programme: SPRINT, terms: sprintTerms(share) },
      ])
    for (let at = founded + 7 * DAY; at < until; at += 7 * DAY)
      agenda.add(at, () => staff.map(({ keyId }) => ({ at, kind: 'sign in', keyId })))
    const orderOf = (order: string) => ({
      id: orderId.parse(parts.secrets.orderHash(order)),
      content: parts.secrets.requestDigest(order),
    })
    for (const [n, scenario] of scenarios.entries()) {
      if (scenario.programme) planTrader(scenario, seed + 10 * n, { history, agenda, until, orderOf })
      else for (const operation of tellTraderStory(scenario, until, random)) agenda.add(operation.at, () => [operation])
    }
    for (const operation of agenda.until(until)) await perform(operation)
    for (const operation of payments.heldAt(until - HOUR)) await perform(operation)
    await writer.flush()
    await importStatements()
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

type Program = Pick<Extract<Operation, { kind: 'issue program key' }>, 'programKey' | 'name' | 'scopes' | 'keyHash'>

function actorOf(
  { by, operation }: Pick<HistoryEntry, 'by'> & Partial<HistoryEntry>,
  staff: readonly StaffMember[],
  programs: Readonly<Record<'shop' | 'bridge', Program>>,
): Actor {
  if (by === 'shop' || by === 'bridge') {
    const { programKey, name } = programs[by]
    return { kind: 'program', id: programKey, label: name }
  }
  if (by === 'trader' && operation && 'userId' in operation) return { kind: 'trader', id: operation.userId }
  const member = staff.find(
    ({ desk, keyId }) =>
      desk === by || (by === 'key holder' && operation && 'keyId' in operation && keyId === operation.keyId),
  )
  return member ? { kind: 'admin', id: member.keyId, label: member.label } : { kind: 'system', label: by }
}

/** The breach that an account is in. */
async function findBreach(id: AccountId, { repositories }: Dependencies): Promise<EventReference | null> {
  const repository = repositories.of(accountStreams)
  const { state } = await repository.load(id)
  if (state.account.breachRevision === null) return null
  for await (const event of repository.readEvents(id, state.account.breachRevision))
    return { revision: event.revision, number: eventNumber(event) }
  return null
}
