import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Actor } from '#services/framework/api/actor.ts'
import { type AccountId, accountIdOf, accountOf, orderId, type PayoutId, programmeId } from '#services/framework/ids.ts'
import type { KeyScope } from '#services/identity/api-keys/api-key-vocabulary.ts'
import { createPasswordHashing } from '#services/identity/authentication/password-hash.ts'
import { readLogo } from '#services/identity/firm/server/logo-file.ts'
import { apiKeyIdOf } from '#services/identity/api-keys/server/program-access.ts'
import { AccessKeys, adminKeyIdOf } from '#services/identity/staff/server/access-keys.ts'
import { syncSuspension } from '#services/identity/users/server/user-commands.ts'
import { startMailFromNow } from '#services/operations/installation/server/mail-start.ts'
import { type Dependencies, openDependencies, prepareDecisions } from '#services/portal/composition-root.ts'
import { eraseUser } from '#services/portal/modules.ts'
import type { Config } from '#services/process/config.ts'
import { presets } from '#services/programmes/programmes/presets.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { rejectionOf } from '#services/trading/stream/case.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { EventReference } from '#services/trading/stream/decision-reason.ts'
import { atDesk, createAgenda, DAY, HOUR, midnight, MINUTE, type Story } from './agenda.ts'
import { certificateFile, createHistory, type HistoryEntry, type Operation } from './history.ts'
import { createLogWriter } from './log-writer.ts'
import { newsOfWeek, nextMonday } from './news.ts'
import { payTraders } from './payments-desk.ts'
import { createRandom } from './random.ts'
import { SPRINT, sprintTerms } from './sprint.ts'
import { importStatement, writeStatement } from './statement.ts'
import { planTrader } from './trader-story.ts'
import { createTraders } from './traders.ts'

/** The access keys that open the firm. */
export const demoKeys = [
  { desk: 'payouts desk', label: 'Dana Whitlock, payouts desk', role: 'admin', accessKey: 'demo-payouts-desk' },
  { desk: 'risk desk', label: 'Marcus Oyelaran, risk desk', role: 'admin', accessKey: 'demo-risk-desk' },
  { desk: 'auditors', label: 'Haldane & Roe, auditors', role: 'auditor', accessKey: 'demo-auditor' },
] as const

/** The keys of its programs. */
const apiKeys = [
  { desk: 'shop', label: 'Checkout of the web shop', scope: 'enrolments', accessKey: 'demo-shop' },
  { desk: 'bridge', label: 'Bridge to the platforms', scope: 'feed', accessKey: 'demo-bridge' },
] as const satisfies readonly { readonly scope: KeyScope; [name: string]: string }[]

/** The password of all traders. */
export const DEMO_PASSWORD = 'proofdesk demo'

const SETTINGS = { name: 'Harbour Street', accent: '#0b5d8a', supportEmail: 'desk@harbourstreet.example' }

/** A lighthouse in the firm's colour. */
const LOGO = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><rect width="24" height="24" rx="6" fill="#0b5d8a"/>' +
    '<path d="M10 5h4l2 14H8z" fill="#fff"/><path d="M9.4 10h5.2M9 14h6" stroke="#0b5d8a" stroke-width="2"/></svg>',
)

const replyTemplates = [
  {
    name: 'Proof of address',
    text: 'We still need a proof of address that is not older than three months. Please send it to support and ask again.',
  },
  {
    name: 'Account of somebody else',
    text: 'The bank account is not in your name. Please send the details of an account of your own and ask again.',
  },
]

const FIRM_ACCOUNT = { name: 'Harbour Street Ltd', iban: 'GB33BUKB20201555555555', bic: 'BUKBGB22' }

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
  const { featured, scenarios } = createTraders(traders, until, createRandom(seed))
  const founded = midnight(Math.min(...scenarios.map(({ from }) => from)) - DAY) + 9 * HOUR

  let now = founded
  const parts = await openDependencies(config, pino({ level: 'silent' }), () => now)
  const { secrets } = parts
  try {
    await prepareDecisions(parts)
    const staff = demoKeys.map((key) => {
      const keyHash = secrets.accessKeyHash(key.accessKey)
      return { ...key, keyHash, keyId: adminKeyIdOf(keyHash) }
    })
    const programs = apiKeys.map((key) => {
      const keyHash = secrets.apiKeyHash(key.accessKey)
      return { ...key, keyHash, keyId: apiKeyIdOf(keyHash) }
    })
    const actors = new Map<string, Actor>()
    for (const { desk, keyId: id, label } of staff)
      for (const name of [desk, id]) actors.set(name, { kind: 'admin', id, label })
    for (const { desk, keyId: id, label } of programs) actors.set(desk, { kind: 'program', id, label })
    const actorOf = ({ by, operation }: HistoryEntry): Actor => {
      if (by === 'trader' && 'userId' in operation) return { kind: 'trader', id: operation.userId }
      const name = by === 'key holder' && 'keyId' in operation ? operation.keyId : by
      return actors.get(name) ?? { kind: 'system', label: by }
    }

    const history = createHistory({
      passwordHash: await createPasswordHashing().hash(DEMO_PASSWORD),
      emailClaimOf: (email) => secrets.emailHash(email),
      loginClaimOf: (server, login) => secrets.platformLoginHash(server, login),
    })
    const writer = createLogWriter({ ...parts, actorOf, groupSize: config.eventstoreUrl ? 1 : 200 })

    const perform = async (operation: Operation): Promise<void> => {
      now = operation.at
      if (operation.kind === 'change account' && operation.correctsBreach) {
        await writer.flush()
        const corrects = await findBreach(accountIdOf(operation.userId, operation.account ?? 1), parts)
        return writer.write(history.perform({ ...operation, reason: { ...operation.reason, corrects } }))
      }
      if (operation.kind === 'object') {
        await writer.flush()
        const decision = await findRejection(operation.payout, parts)
        return decision ? writer.write(history.perform({ ...operation, decision })) : undefined
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

    const [maker = '', releaser = ''] = staff.map(({ keyId }) => keyId)
    function* found(): Story {
      const of = { at: founded, keyId: maker }
      yield { ...of, kind: 'set name and colours', settings: SETTINGS, logo: readLogo(LOGO.toString('base64')) }
      yield { ...of, kind: 'set firm account', firmAccount: FIRM_ACCOUNT }
      yield { ...of, kind: 'publish presets' }
      for (const { id, terms } of presets) {
        const price = `$${Math.round(Number(terms.accountSize) / 200) + 24}, once`
        const offer = { programmes: [programmeId.parse(id)], price, purchaseUrl: `https://shop.example/${id}` }
        yield { ...of, kind: 'offer programmes', ...offer }
      }
      for (const template of replyTemplates) yield { ...of, kind: 'save reply template', ...template }
      for (const { keyId: apiKey, label: name, scope, keyHash } of programs) {
        const issued = { name, scopes: [scope], keyHash, expiresAt: until + 365 * DAY }
        yield { ...of, kind: 'issue program key', apiKey, issued }
      }
    }
    /** What waits for the desk today. */
    function* today(): Story {
      const [at, email] = [until - 3 * HOUR, 'h.oduya@example.com']
      const refused = { orderNumber: 'A-20417', email, fullName: 'Hannah Oduya', programme: 'two-step-75000' }
      const { id: order, content } = orderOf(refused.orderNumber)
      const emailHash = secrets.emailHash(email)
      const of = { ...refused, order, content, emailHash, reason: 'unknown-programme' } as const
      yield { at, keyId: releaser, kind: 'refuse order', refused: of }
    }
    /** The firm writes a programme of its own, and then a second version. */
    function* writeProgramme(): Story {
      const draftAt = (at: number, share: string) =>
        ({ at, keyId: releaser, kind: 'draft programme', programme: SPRINT, terms: sprintTerms(share) }) as const
      yield draftAt(founded + HOUR, '40')
      yield founded + 2 * HOUR
      const of = { at: founded + 2 * HOUR, keyId: releaser }
      yield { ...of, kind: 'publish programme', programme: SPRINT }
      const purchaseUrl = 'https://shop.example/sprint'
      yield { ...of, kind: 'offer programmes', programmes: [SPRINT], price: '$249, once', purchaseUrl }
      yield until - 2 * DAY
      yield draftAt(until - 2 * DAY, '30')
    }
    /** The news of a week are published in the week before. */
    function* publishNews(): Story {
      for (let at = founded; at < until; at += 7 * DAY) {
        yield at
        yield { at, keyId: releaser, kind: 'publish news', entries: newsOfWeek(nextMonday(at)) }
      }
    }
    function* signInEachWeek(): Story {
      for (let at = founded + 7 * DAY; at < until; at += 7 * DAY) {
        yield at
        for (const { keyId } of staff) yield { at, kind: 'sign in', keyId }
      }
    }
    const orderOf = (order: string) => ({
      id: orderId.parse(secrets.orderHash(order)),
      content: secrets.requestDigest(order),
    })

    for (const { keyId, label, role, keyHash } of staff)
      await perform({ at: founded, kind: 'issue key', keyId, label, role, keyHash })
    await writer.flush()
    // With a key of its own the firm needs none at its first start.
    await new AccessKeys(parts.repositories, secrets).ensureFirstKey(demoKeys[0].accessKey, 'demo')
    const agenda = createAgenda()
    agenda.add(founded, found())
    agenda.add(founded + HOUR, writeProgramme())
    agenda.add(founded, signInEachWeek())
    agenda.add(founded, publishNews())
    agenda.add(until - 3 * HOUR, today())
    agenda.add(
      founded,
      payTraders({ from: founded, until, maker, releaser, random: createRandom(seed + 1), agenda, history }),
    )
    for (const [n, scenario] of scenarios.entries())
      planTrader(scenario, seed + 10 * n, { history, agenda, until, orderOf })
    for (const operation of agenda.until(until)) await perform(operation)
    await writer.flush()

    // Where the platform reports nothing by itself: a statement of the last days, and one of today.
    const silent = scenarios.filter(({ programme }) => programme?.leavesOut !== undefined)
    for (const { userId, programme } of silent) {
      const state = history.accountOf(accountIdOf(userId, 1))
      const ends = until - DAY - 9 * HOUR
      for (const [at, end, confirmed] of [
        [atDesk(ends), ends, true],
        [until - 20 * MINUTE, until - HOUR, false],
      ] as const) {
        now = at
        const request = randomUUID()
        const actor = actors.get('risk desk') ?? { kind: 'system', label: 'risk desk' }
        const statement = writeStatement(state, programme?.leavesOut ?? until, end, createRandom(seed + 3))
        await importStatement(
          parts,
          { id: createRandom(at).letters(16), statement, confirmed },
          { actor, requestId: request, causationId: request, correlationId: request },
          () => now,
        )
      }
    }
    now = until
    await startMailFromNow(parts)
    // So that exports have their proofs at once, not after the first interval.
    await createSealer({ ...parts, origin: parts.logOrigin, checkpoints: parts.readModelStore.checkpoints }).sealAll()
  } finally {
    await parts.close()
  }
  return featured.map(({ scenario: { profile }, see }) => ({ email: profile.email, see }))
}

/** The breach that an account is in. */
/** The newest rejection of a payout. */
async function findRejection(payout: PayoutId, { repositories }: Dependencies): Promise<EventReference | null> {
  const [repository, id] = [repositories.of(accountStreams), accountOf(payout)]
  const revision = rejectionOf((await repository.load(id)).state, payout)
  for await (const event of repository.readEvents(id, revision)) return { revision, number: eventNumber(event) }
  return null
}

async function findBreach(id: AccountId, { repositories }: Dependencies): Promise<EventReference | null> {
  const repository = repositories.of(accountStreams)
  const { state } = await repository.load(id)
  if (state.account.breachRevision === null) return null
  for await (const event of repository.readEvents(id, state.account.breachRevision))
    return { revision: event.revision, number: eventNumber(event) }
  return null
}
