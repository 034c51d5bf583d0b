import { done } from '#services/framework/http/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  type AccountStreamEvent,
  accountStreams,
  changeByStaff,
  closeByStaff,
} from '#services/trading/stream/account-aggregate.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { type AccountId, ownerOf } from '#services/framework/ids.ts'
import { entryOf, isEntryEvent } from '#services/trading/stream/ledger.ts'
import { withHoldsOfBan } from './ban-holds.ts'
import { assignAccount, nextAccountId, userStreams } from '#services/identity/users/user.ts'
import type { AccountChanges as AccountChangesBody, accountChangeRoutes } from '../account-change-api.ts'
import {
  type AccountChanges,
  changeAccount,
  openAccount,
  platformLoginAfter,
  showMasterPassword,
} from '#services/trading/stream/account.ts'
import { type BreachEvidence, checkEvidence, type EventReference } from '#services/trading/stream/decision-reason.ts'
import { assertOnRecord } from '#services/trading/stream/recorded-loss.ts'
import { setTerms } from '#services/trading/stream/stage.ts'
import type { BalanceChange } from '#services/trading/stream/trading-results.ts'
import { accountOfUser } from './account-of-user.ts'

/** Administrators' changes to trading accounts (specification §6, §7). */
export function accountCommands({
  repositories,
  logins,
  stepUp,
  throttle,
  react,
  now,
}: TradingParts['commands']): Commands<typeof accountChangeRoutes> {
  const accounts = repositories.of(accountStreams)
  const users = repositories.of(userStreams)

  /** The event of an account at this log position; only the log knows its revision. */
  const eventAt = async (id: AccountId, number: number): Promise<EventReference> => {
    for await (const event of accounts.readEvents(id))
      if (eventNumber(event) === number) return { revision: event.revision, number }
    throw new Refused('not-found', `This account has no event ${number}`, 'corrects')
  }

  /** Under a programme, the findings of its rules are the evidence. */
  const checkRecord = async (id: AccountId, evidence: BreachEvidence, isSaidToShow: boolean): Promise<void> => {
    const { account } = (await accounts.load(id)).state
    if (account.programme) return
    const changes: BalanceChange[] = []
    for await (const event of accounts.readEvents(id)) changes.push(...balanceChangesOf(event))
    assertOnRecord(changes, account, evidence, isSaidToShow)
  }

  const change = async (id: AccountId, body: AccountChangesBody, context: Context) => {
    const { reason, corrects: number } = body
    const evidence = evidenceIn(body)
    if (evidence) checkEvidence(evidence, now())
    const offRecord = body.evidence?.offRecord
    if (evidence && !offRecord) await checkRecord(id, evidence, offRecord === false)
    const why = { reason, evidence, corrects: number ? await eventAt(id, number) : null }
    const changes = changesOf(body)
    const claim = await claimLogin(id, changes, context)
    const decide = (isBanned: boolean) =>
      accounts.decide(id, context, (state) => [
        ...changeByStaff(state, changes, why, claim, now(), isBanned),
        ...(body.terms === undefined ? [] : setTerms(state, body.terms)),
      ])
    const result = await (why.corrects ? withHoldsOfBan(ownerOf(id), context, repositories, decide) : decide(false))
    return done(await react(result))
  }

  /** Claims the login that an account gets; null where it stays as it is, or is not known. */
  const claimLogin = async (id: AccountId, changes: AccountChanges, context: Context) => {
    if (changes.login === undefined && changes.server === undefined) return null
    const { account } = (await accounts.load(id)).state
    const to = platformLoginAfter(account, changes)
    const isSame = to.login === account.login && to.server === account.server
    return account.open && !isSame ? logins.claim(id, to, context) : null
  }

  return {
    setAccount: async ({ params, body, context }) =>
      change(await accountOfUser(repositories, params.id, undefined), body, context),

    changeCurrentAccount: async ({ params, body, context }) =>
      change(await accountOfUser(repositories, params.id, undefined), body, context),

    changeAccount: ({ params, body, context }) => change(params.id, body, context),

    assignLogin: ({ params, body, context }) => change(params.id, body, context),

    enablePayouts: ({ params, context }) =>
      change(params.id, { payoutEnabled: true, masterPassword: undefined }, context),

    openAccount: async ({ params, body, context }) => {
      const { id: owner } = params
      const evidence = evidenceIn(body)
      if (evidence) checkEvidence(evidence, now())
      const changes = changesOf(body)
      const login = platformLoginAfter({ login: null, server: null }, changes)
      const made = await users.firstDecision(owner, context)
      const [assigned] = made?.events ?? []
      const id =
        assigned?.type === 'AccountAssigned'
          ? assigned.data.accountId
          : nextAccountId((await users.load(owner)).state, owner)
      // A request that loses a race for the number leaves a claim, which the next one takes over, and no account.
      const claim = await logins.claim(id, login, context)
      const { events } = made ?? (await users.decide(owner, context, (user) => assignAccount(user, owner, id)))
      const causationId = events.at(-1)?.id ?? context.causationId
      const { position } = await accounts.decide(id, { ...context, causationId }, ({ account }) => {
        // A policy may have opened it already.
        const opened = { ...account, id, open: true }
        return [
          ...openAccount(account, id),
          ...changeAccount(opened, changes, { reason: body.reason, evidence }, claim),
          ...(body.terms === undefined ? [] : setTerms({ account: opened, stage: null }, body.terms)),
        ]
      })
      return { status: 201, body: { id }, position }
    },

    closeAccount: async ({ params, body, context }) => {
      return done(await react(await accounts.decide(params.id, context, (state) => closeByStaff(state, body.reason))))
    },

    showMasterPassword: async ({ params, query, context, caller, request }) => {
      const id = await accountOfUser(repositories, params.id, query.account)
      await stepUp.assertConfirmed({ caller, request })
      await throttle.attempt(['showPasswordMember', caller.id])
      // Recorded before it is answered.
      const { state, position } = await accounts.decide(id, context, ({ account }) => showMasterPassword(account))
      return { body: { masterPassword: state.account.masterPassword ?? '' }, position }
    },
  }
}

/** Returns the changes of the balance that an event records. */
function balanceChangesOf(event: RecordedEvent<AccountStreamEvent>): BalanceChange[] {
  const { at } = event
  const of = { at, number: eventNumber(event) }
  if (event.type === 'PhaseChanged') return [{ ...of, balance: null, entry: null, beginsPhase: true }]
  if (!isEntryEvent(event)) return []
  const { kind, from, to } = entryOf(event)
  return [{ ...of, balance: to, entry: { kind, amount: to - from }, beginsPhase: false }]
}

function evidenceIn({ evidence }: AccountChangesBody): BreachEvidence | null | undefined {
  if (!evidence) return evidence
  const { offRecord: _offRecord, ...found } = evidence
  return found
}

function changesOf({
  reason: _reason,
  evidence: _evidence,
  corrects: _corrects,
  ...changes
}: AccountChangesBody): AccountChanges {
  return changes
}
