import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { actor } from '#services/framework/api/actor.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import {
  type AccountId,
  accountOf,
  adminKeyId,
  type AdminKeyId,
  type CaseId,
  ownerOf,
  type UserId,
} from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { mayRole, type Permission } from '#services/identity/staff/permissions.ts'
import { assertIndependent } from '#services/identity/staff/server/approver-independence.ts'
import { withHoldsOfBan } from '#services/trading/accounts/server/ban-holds.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { accountNotFound } from '#services/trading/stream/account.ts'
import {
  type AccountState,
  accountStreams,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import {
  addCaseFile,
  type Case,
  caseNotFound,
  changeable,
  openCase,
  rejectionOf,
  SecondCase,
  withdrawCase,
  writeInCase,
} from '#services/trading/stream/case.ts'
import { type CaseChange, decideCase } from '#services/trading/stream/case-decision.ts'
import type { EventReference } from '#services/trading/stream/decision-reason.ts'
import type { caseRoutes } from '../case-api.ts'
import { numberAt, readCase } from './case-answer.ts'
import { caseFilesPrefix, checkedCaseFile, keepCaseFile, receiveCaseFile } from './case-files.ts'

/** The permission of the call that makes a change. */
const permissions: Readonly<Record<keyof CaseChange, Permission>> = {
  payout: 'decide-payouts',
  hold: 'decide-payouts',
  finding: 'decide-findings',
  breach: 'change-accounts',
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Traders object to decisions, and staff answer and decide. */
export function caseCommands(parts: TradingParts['commands']): Commands<typeof caseRoutes> {
  const { repositories, throttle, react, now, config } = parts
  const accounts = repositories.of(accountStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  const clocks = { answer: config.caseHours * HOUR, appeal: config.appealDays * DAY }

  /** The entry of an account with this number. @throws {Refused} conflict */
  const entryOf = async (account: AccountId, number: number): Promise<EventReference> => {
    for await (const event of accounts.readEvents(account))
      if (eventNumber(event) === number) return { revision: event.revision, number }
    throw new Refused('conflict', 'This is no decision that can be objected to')
  }

  const referenceOf = async (account: AccountId, revision: number): Promise<EventReference> => ({
    revision,
    number: await numberAt(accounts, account, revision),
  })

  const breachOf = async (
    account: AccountId,
    { account: { breachRevision } }: AccountState,
  ): Promise<EventReference | null> => {
    return breachRevision === null ? null : referenceOf(account, breachRevision)
  }

  /** The members who made the decision that a case is about. */
  const makersOf = async (account: AccountId, { decision, subject }: Case): Promise<ReadonlySet<AdminKeyId>> => {
    const makers = new Set<AdminKeyId>()
    for await (const event of accounts.readEvents(account)) {
      if (event.revision !== decision.revision && !isPartOf(event, subject)) continue
      const by = actor.parse(event.metadata.actor)
      if (by.kind === 'admin' && by.id !== undefined) makers.add(adminKeyId.parse(by.id))
    }
    return makers
  }

  const assertMay = async (member: AdminKeyId, permission: Permission): Promise<void> => {
    const { issued } = (await adminKeys.load(member)).state
    if (!issued || !mayRole(issued.role, permission))
      throw new HttpError(403, { message: 'Your role does not allow this change' })
  }

  /** @throws {Refused} not-found, conflict @throws {HttpError} 403 */
  const assertDecidable = async (
    state: AccountState,
    id: CaseId,
    member: AdminKeyId,
    change: CaseChange | null,
  ): Promise<void> => {
    const found = changeable(state, id)
    for (const [what, permission] of Object.entries(permissions))
      if (change && what in change) await assertMay(member, permission)
    for (const maker of await makersOf(accountOf(id), found)) {
      if (maker === member)
        throw new Refused('conflict', 'You made the decision that this case is about. Another member has to decide it.')
      await assertIndependent(adminKeys, maker, member, { began: found.openedAt, now: now() })
    }
    const payout = found.subject.payout ? state.payouts.list.get(found.subject.payout) : undefined
    const first = payout?.firstApproval
    if (payout && first && first.member !== member && change && 'payout' in change)
      await assertIndependent(adminKeys, first.member, member, { began: payout.requestedAt, now: now() })
  }

  /** A case of the trader. Another's is answered like none. */
  const own = (id: CaseId, userId: UserId): AccountId => {
    const account = accountOf(id)
    if (ownerOf(account) !== userId) throw caseNotFound()
    return account
  }

  const answerOf = (id: CaseId) => readCase(accounts, id)

  return {
    openCase: async ({ caller: { userId }, body: { account, about, text }, context }) => {
      if (ownerOf(account) !== userId) throw accountNotFound()
      await throttle.attempt(['casePerson', userId])
      const decision =
        'event' in about
          ? await entryOf(account, about.event)
          : await referenceOf(account, rejectionOf((await accounts.load(account)).state, about.payout))
      try {
        const { events, position } = await accounts.decide(account, context, (state) =>
          openCase(state, { about, decision, text }, now(), clocks),
        )
        const [opened] = events
        if (opened?.type !== 'CaseOpened') throw new Error(`The case of ${userId} is not on record`)
        return { status: 201, body: await answerOf(opened.data.case), position }
      } catch (error) {
        if (error instanceof SecondCase) throw new HttpError(409, { message: error.message, id: error.id })
        throw error
      }
    },

    writeInOwnCase: async ({ caller: { userId }, params: { id }, body: { text }, context }) => {
      const account = own(id, userId)
      await throttle.attempt(['casePerson', userId])
      const { position } = await accounts.decide(account, context, (state) =>
        writeInCase(state, id, { from: 'trader', text }, now(), clocks),
      )
      return { status: 201, body: await answerOf(id), position }
    },

    addCaseFile: {
      receive: receiveCaseFile,
      handle: async ({ caller: { userId }, params: { id }, context, request }) => {
        const account = own(id, userId)
        await throttle.attempt(['casePerson', userId])
        const checked = checkedCaseFile(request.file)
        const file = `${caseFilesPrefix(userId)}${newId(context, 'file')}`
        // What would be refused is not kept.
        if (!(await accounts.isRepeated(account, context)))
          addCaseFile((await accounts.load(account)).state, id, { ...checked, file })
        const content = request.file?.buffer ?? new Uint8Array()
        await keepCaseFile(parts.fileStore, parts.personKeys, { owner: userId, key: file, content })
        const { events, position } = await accounts.decide(account, context, (state) =>
          addCaseFile(state, id, { ...checked, file }),
        )
        const [added] = events
        if (added?.type !== 'CaseFileAdded') throw new Error(`The file of ${id} is not on record`)
        const { number, name, type, size } = added.data
        return { status: 201, body: { id: String(number), name, type, size }, position }
      },
    },

    withdrawCase: async ({ caller: { userId }, params: { id }, context }) => {
      const account = own(id, userId)
      await throttle.attempt(['casePerson', userId])
      const { position } = await accounts.decide(account, context, (state) => withdrawCase(state, id, now()))
      return { body: await answerOf(id), position }
    },

    writeInCase: async ({ params: { id }, body: { text }, context }) => {
      const account = accountOf(id)
      const { position } = await accounts.decide(account, context, (state) =>
        writeInCase(state, id, { from: 'staff', text }, now(), clocks),
      )
      return { status: 201, body: await answerOf(id), position }
    },

    decideCase: async ({ caller, params: { id }, body: { outcome, text, change = null }, context }) => {
      const account = accountOf(id)
      const member = adminKeyId.parse(caller.id)
      const loaded = (await accounts.load(account)).state
      // Its own effect would fail the checks of one that is sent again.
      if (!(await accounts.isRepeated(account, context))) await assertDecidable(loaded, id, member, change)
      const breach = await breachOf(account, loaded)
      const result = await withHoldsOfBan(ownerOf(account), context, repositories, (isBanned) =>
        accounts.decide(account, context, (state) => {
          const approver = { member, secondApprovalAbove: config.secondApprovalAbove ?? null, lapsed: null }
          const confirmer = { member, needsTwo: false, lapsed: null }
          return decideCase(state, id, { outcome, text, change }, { approver, confirmer, breach, isBanned }, now())
        }),
      )
      const position = await react(result)
      return { body: await answerOf(id), position }
    },
  }
}

/** The events that made a decision together with the last of them. */
function isPartOf({ type, data }: RecordedEvent<AccountStreamEvent>, { kind, finding }: Case['subject']): boolean {
  if (kind !== 'breach' && kind !== 'pass') return false
  return (
    (type === 'BreachFirstConfirmed' || type === 'BreachConfirmed' || type === 'FindingDismissed') &&
    finding !== null &&
    data.finding === finding
  )
}
