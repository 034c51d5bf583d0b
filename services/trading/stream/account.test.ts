import {
  accountStateDecider,
  type AccountState,
  type AccountStreamEvent,
  accountStreamEvents,
  endAccount,
} from './account-aggregate.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Account,
  type AccountChanges,
  accountDecider,
  type AccountEvent,
  accountStatus,
  type ActiveLoginClaim,
  changeAccount,
  openAccount,
  type PlatformLogin,
  platformLoginAfter,
  showMasterPassword,
} from './account.ts'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, type PayoutId, payoutId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  accountClosed,
  anyAccountEvents,
  FIRST_EVENT_AT,
  frozen,
  givenEvents,
  appendedEvents,
  limitsChanged,
  statusChanged,
} from '#test-support/given-when-then.ts'
import { checkEvidence, type DecisionReason } from './decision-reason.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const openedAccount: AccountEvent = { type: 'AccountOpened', data: { accountId: owner } }
const opened: AccountStreamEvent = openedAccount
const closed = accountClosed('pending')
const enabled: AccountStreamEvent = { type: 'PayoutsEnabled', data: {} }
const noLimits = { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null }
const noLogin = { login: null, server: null }
const login = { login: '5001', server: 'MT5' }

const idOf = (number: number): PayoutId => payoutId.parse(`${owner}-p${number}`)
const requested = (number: number, amount = 100_00): AccountStreamEvent => ({
  type: 'PayoutRequested',
  data: {
    payoutId: idOf(number),
    amount: toCents(amount),
    method: 'bank',
    details: 'IBAN',
    destination: null,
    idempotency: null,
  },
})

/** The account has claimed the login that it will have, where login and server are known. */
function changed(account: Account, changes: AccountChanges) {
  const to = platformLoginAfter(account, changes)
  return changeAccount(account, changes, {}, { ...to, loginClaim: claimOf(to) ?? '', since: FIRST_EVENT_AT })
}
const claimOf = ({ login, server }: PlatformLogin) =>
  login !== null && server !== null ? `${login} on ${server}` : null
const loginAssigned = (from: PlatformLogin, to: PlatformLogin, masterPassword: string | null): AccountStreamEvent => ({
  type: 'PlatformLoginAssigned',
  data: { from, to, masterPassword, claims: { from: claimOf(from), to: claimOf(to) } },
})

describe('showing the master password', () => {
  const assigned = loginAssigned(noLogin, { login: '5001', server: null }, 'secret')

  it('is recorded, and changes nothing', () => {
    given(opened, assigned)
      .when(({ account }) => showMasterPassword(account))
      .then([{ type: 'MasterPasswordShown', data: {} }])
    const shown: AccountStreamEvent = { type: 'MasterPasswordShown', data: {} }
    expect(given(opened, assigned, shown).state).toEqual(given(opened, assigned).state)
  })

  it('is refused without one, and without an account', () => {
    given(opened)
      .when(({ account }) => showMasterPassword(account))
      .thenRefused('not-found', 'This account has no master password')
    given()
      .when(({ account }) => showMasterPassword(account))
      .thenRefused('not-found', 'Account not found')
  })
})

describe('opening an account', () => {
  it('opens the account of a new user', () =>
    given()
      .when(({ account }) => openAccount(account, owner))
      .then([opened]))

  it('leaves an open account as it is', () =>
    given(opened)
      .when(({ account }) => openAccount(account, owner))
      .thenNothing())

  it('never opens a closed account again', () =>
    given(opened, closed)
      .when(({ account }) => openAccount(account, owner))
      .thenNothing())

  it('starts with balance 0.00, profit/loss 0.00, pending, payouts disabled', () => {
    expect(given(opened).state.account).toMatchObject({
      id: owner,
      open: true,
      openedAt: FIRST_EVENT_AT,
      balance: 0,
      profitLoss: 0,
      status: 'pending',
      payoutsEnabled: false,
      phase: null,
      platform: null,
      ...noLimits,
      ...noLogin,
      masterPassword: null,
    })
  })
})

describe('changing an account', () => {
  const change =
    (changes: AccountChanges) =>
    ({ account }: AccountState) =>
      changed(account, changes)

  it('records balance and profit/loss, each from what to what', () =>
    given(opened)
      .when(change({ balance: toCents(10_000_00), profitLoss: toCents(-12_50) }))
      .then([
        { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(10_000_00), kind: 'deposit' } },
        { type: 'ProfitLossChanged', data: { from: toCents(0), to: toCents(-12_50) } },
      ]))

  it('records the platform, and that it is not known any more', () => {
    const chosen = { type: 'PlatformChanged', data: { from: null, to: 'mt5' } } as const
    given(opened)
      .when(change({ platform: 'mt5' }))
      .then([chosen])
    given(opened, chosen)
      .when(change({ platform: 'mt5' }))
      .then([])
    given(opened, chosen)
      .when(change({ platform: null }))
      .then([{ type: 'PlatformChanged', data: { from: 'mt5', to: null } }])
  })

  it('records the platform login with its master password as one fact', () =>
    given(opened)
      .when(change({ login: '5001', server: 'MT5-Live', masterPassword: 'secret' }))
      .then([loginAssigned(noLogin, { login: '5001', server: 'MT5-Live' }, 'secret')]))

  it('keeps login and server when only the master password is new', () =>
    given(opened, loginAssigned(noLogin, login, 'old'))
      .when(change({ masterPassword: 'new' }))
      .then([loginAssigned(login, login, 'new')]))

  it('needs the claim on a login where its server is known, and a claim that has not lapsed', () => {
    const claim = { ...login, loginClaim: 'claim', since: FIRST_EVENT_AT }
    const assign =
      (held: ActiveLoginClaim | null) =>
      ({ account }: AccountState) =>
        changeAccount(account, login, {}, held)
    given(opened)
      .when(assign(null))
      .thenRefused('conflict', 'The login of this account was changed meanwhile. Please look at it again.', 'login')
    given(opened)
      .when(assign({ ...claim, login: '5002' }))
      .thenRefused('conflict', 'The login of this account was changed meanwhile. Please look at it again.', 'login')
    const lapsed: AccountStreamEvent = { type: 'LoginClaimLapsed', data: { loginClaim: 'claim' } }
    given(opened, lapsed)
      .when(assign(claim))
      .thenRefused('conflict', 'Another account has this login on this server', 'login')
    expect(given(opened, lapsed).state.account.lapsedClaims).toEqual({ claim: FIRST_EVENT_AT + 1_000 })
    const later = { ...claim, since: FIRST_EVENT_AT + 2_000 }
    expect(assign(later)(given(opened, lapsed).state)).toHaveLength(1)
  })

  it('records the three risk fields as one fact, with those left out as they were', () =>
    given(opened)
      .when(change({ dailyDrawdownLimit: '5% / $500', profitTarget: '800' }))
      .then([
        limitsChanged(noLimits, { dailyDrawdownLimit: '5% / $500', overallLossLimit: null, profitTarget: '800' }),
      ]))

  it('records a new phase', () =>
    given(opened)
      .when(change({ phase: 'Funded' }))
      .then([{ type: 'PhaseChanged', data: { from: null, to: 'Funded' } }]))

  it('lets a text be taken away again', () =>
    given(opened, { type: 'PhaseChanged', data: { from: null, to: 'Funded' } })
      .when(change({ phase: null }))
      .then([{ type: 'PhaseChanged', data: { from: 'Funded', to: null } }]))

  for (const from of accountStatus.options)
    for (const to of accountStatus.options.filter((status) => status !== from))
      it(`lets ${to} follow ${from}`, () =>
        given(opened, statusChanged('pending', from))
          .when(change({ status: to }))
          .then([statusChanged(from, to)]))

  it('enables payouts', () =>
    given(opened)
      .when(change({ payoutEnabled: true }))
      .then([enabled]))

  it('disables payouts', () =>
    given(opened, enabled)
      .when(change({ payoutEnabled: false }))
      .then([{ type: 'PayoutsDisabled', data: {} }]))

  it('records only what did change of many fields', () =>
    given(opened, enabled, { type: 'PhaseChanged', data: { from: null, to: 'Phase 1' } })
      .when(change({ phase: 'Phase 1', payoutEnabled: true, balance: toCents(0), status: 'active', login: null }))
      .then([statusChanged('pending', 'active')]))

  it('records nothing when nothing is wanted', () => given(opened).when(change({})).thenNothing())

  it('takes a field set to undefined for one left out', () =>
    given(opened, { type: 'PhaseChanged', data: { from: null, to: 'Funded' } })
      .when(change({ phase: undefined, balance: undefined, masterPassword: undefined }))
      .thenNothing())

  it('refuses when there is no account', () =>
    given()
      .when(change({ status: 'active' }))
      .thenRefused('not-found', 'Account not found'))

  it('refuses when the account is closed', () =>
    given(opened, closed)
      .when(change({ status: 'active' }))
      .thenRefused('not-found', 'Account not found'))

  const text = fc.option(fc.string({ maxLength: 8 }))
  const money = fc.integer({ min: -1_000, max: 1_000 }).map(toCents)
  const anyChanges: fc.Arbitrary<AccountChanges> = fc.record(
    {
      balance: money,
      profitLoss: money,
      status: fc.constantFrom(...accountStatus.options),
      phase: text,
      payoutEnabled: fc.boolean(),
      login: text,
      masterPassword: text,
      server: text,
      dailyDrawdownLimit: text,
      overallLossLimit: text,
      profitTarget: text,
    },
    { requiredKeys: [], noNullPrototype: true },
  )

  it('gives exactly the wanted state when its facts are folded, and the same changes again record nothing', () => {
    fc.assert(
      fc.property(fc.array(anyChanges, { maxLength: 8 }), (list) => {
        const decider = frozen(accountDecider)
        let state = fold(decider, appendedEvents([openedAccount]))
        for (const changes of list) {
          const { payoutEnabled = state.payoutsEnabled, ...fields } = changes
          const wanted = { ...state, ...fields, payoutsEnabled: payoutEnabled }
          state = fold(decider, appendedEvents(changed(state, changes)), state)
          const { breachRevision, loginClaim, ...rest } = state
          expect({ ...rest, breachRevision: wanted.breachRevision, loginClaim: wanted.loginClaim }).toEqual(wanted)
          expect(loginClaim).toBe(claimOf(state))
          expect(breachRevision !== null).toBe(state.status === 'breached')
          expect(changed(state, changes)).toEqual([])
        }
      }),
    )
  })

  it('leaves no gap: what a fact changes from is what the one before changed to', () => {
    fc.assert(
      fc.property(fc.array(anyChanges, { minLength: 1, maxLength: 12 }), (list) => {
        let state = fold(accountDecider, appendedEvents([openedAccount]))
        const last = new Map<string, unknown>()
        for (const changes of list) {
          const events = changed(state, changes)
          for (const { type, data } of events) {
            if (!('from' in data)) continue
            if (last.has(type)) expect(data.from).toEqual(last.get(type))
            // Only the master password, which has no `from`, may be the change.
            if (type !== 'PlatformLoginAssigned') expect(data).not.toEqual({ from: data.from, to: data.from })
            if ('to' in data) last.set(type, data.to)
          }
          state = fold(accountDecider, appendedEvents(events), state)
        }
      }),
    )
  })
})

describe('saying why', () => {
  const change =
    (changes: AccountChanges, why: DecisionReason) =>
    ({ account }: AccountState) =>
      changeAccount(account, changes, why)
  const evidence = {
    rule: 'daily-drawdown',
    limit: '5% / $500',
    value: '-$512.40',
    occurredAt: FIRST_EVENT_AT,
  } as const
  const active = statusChanged('pending', 'active')
  const breached = statusChanged('active', 'breached', { reason: 'Daily drawdown', evidence })

  it('keeps the reason and the evidence of a breach in its fact', () =>
    given(opened, active)
      .when(change({ status: 'breached' }, { reason: 'Daily drawdown', evidence }))
      .then([breached]))

  it('keeps the reason of new limits and of a new status, of each in its own fact', () =>
    given(opened, active)
      .when(
        change(
          { status: 'under-review', profitTarget: '800', phase: 'Phase 1' },
          { reason: 'Trades of two accounts are alike' },
        ),
      )
      .then([
        limitsChanged(noLimits, { ...noLimits, profitTarget: '800' }, 'Trades of two accounts are alike'),
        { type: 'PhaseChanged', data: { from: null, to: 'Phase 1' } },
        statusChanged('active', 'under-review', { reason: 'Trades of two accounts are alike' }),
      ]))

  it('needs no reason, and takes an empty one for none', () => {
    given(opened, active)
      .when(change({ status: 'breached' }, {}))
      .then([statusChanged('active', 'breached')])
    given(opened, active)
      .when(change({ status: 'breached' }, { reason: '' }))
      .then([statusChanged('active', 'breached')])
  })

  it('records nothing when the account is so already, whatever the reason', () => {
    given(opened, active, breached)
      .when(change({ status: 'breached' }, { reason: 'Again', evidence }))
      .thenNothing()
    given(opened, active)
      .when(change({ status: 'active' }, { reason: 'Again', corrects: { revision: 1, number: 9 } }))
      .thenNothing()
    given(opened, active)
      .when(change({}, { reason: 'No change' }))
      .thenNothing()
  })

  it('refuses evidence of anything but a breach, and of what is still to come', () => {
    given(opened)
      .when(change({ status: 'active' }, { evidence }))
      .thenRefused('invalid', 'Evidence belongs to a breach', 'evidence')
    given(opened)
      .when(change({ profitTarget: '1' }, { evidence }))
      .thenRefused('invalid', 'Evidence belongs to a breach', 'evidence')
    expect(() => checkEvidence(evidence, FIRST_EVENT_AT)).not.toThrow()
    expect(() => checkEvidence(evidence, FIRST_EVENT_AT - 60_001)).toThrow('This moment is still to come')
  })

  it('takes a mistaken breach back by a new fact that names it; the old one stays', () => {
    const corrects = { revision: 2, number: 1042 }
    given(opened, active, breached)
      .when(change({ status: 'active' }, { reason: 'A wrong price', corrects }))
      .then([statusChanged('breached', 'active', { reason: 'A wrong price', corrects })])
  })

  it('lets a breach end without a correction, for it may have been right', () =>
    given(opened, active, breached)
      .when(change({ status: 'active' }, { reason: 'A second chance' }))
      .then([statusChanged('breached', 'active', { reason: 'A second chance' })]))

  it('refuses a correction that does not say what was wrong', () =>
    given(opened, active, breached)
      .when(change({ status: 'active' }, { corrects: { revision: 2, number: 1042 } }))
      .thenRefused('invalid', 'Please say why the breach was a mistake', 'reason'))

  it('refuses a correction of anything but the current breach', () => {
    const refused = (...events: AccountStreamEvent[]) => ({
      correcting: (revision: number) =>
        given(...events)
          .when(change({ status: 'under-review' }, { reason: 'A wrong price', corrects: { revision, number: 7 } }))
          .thenRefused('conflict', 'Event #7 is not the current breach of this account', 'corrects'),
    })
    // Another fact, an earlier breach, a breach that ended.
    refused(opened, active, breached).correcting(1)
    refused(opened, active, breached, statusChanged('breached', 'active'), breached).correcting(2)
    refused(opened, active, breached, statusChanged('breached', 'active')).correcting(2)
  })

  it('refuses a correction that leaves the account breached, or as it is', () => {
    const message = 'A breach is corrected by another status'
    const why = { reason: 'A wrong price', corrects: { revision: 2, number: 7 } }
    given(opened, active, breached)
      .when(change({ status: 'breached' }, why))
      .thenRefused('invalid', message, 'corrects')
    given(opened, active, breached)
      .when(change({ phase: 'Phase 2' }, why))
      .thenRefused('invalid', message, 'corrects')
  })

  it('a correction names the last breach of the same account, corrected by nothing before, after any decisions', () => {
    const anyDeed = fc.record({
      status: fc.constantFrom(...accountStatus.options),
      corrects: fc.option(fc.nat(12)),
      back: fc.boolean(),
    })
    let corrections = 0
    fc.assert(
      fc.property(fc.array(anyDeed, { maxLength: 14 }), (deeds) => {
        const stream: AccountEvent[] = [openedAccount]
        for (const { status, corrects, back } of deeds) {
          const state = fold(accountDecider, appendedEvents(stream))
          // A good part of all corrections shall be right ones.
          const revision = back ? state.breachRevision : corrects
          const why = { reason: 'Because', corrects: revision === null ? null : { revision, number: revision + 100 } }
          try {
            stream.push(...changeAccount(state, { status }, why))
          } catch (error) {
            if (!(error instanceof Refused)) throw error
          }
        }
        const corrected = new Set<number>()
        for (const [place, event] of stream.entries()) {
          if (event.type !== 'AccountStatusChanged' || !event.data.corrects) continue
          const { revision } = event.data.corrects
          corrections += 1
          expect(revision).toBeLessThan(place)
          expect(stream[revision]).toMatchObject({ type: 'AccountStatusChanged', data: { to: 'breached' } })
          const later = stream.slice(revision + 1, place).filter(({ type }) => type === 'AccountStatusChanged')
          expect([event.data.from, event.data.to === 'breached', later]).toEqual(['breached', false, []])
          expect(corrected.has(revision)).toBe(false)
          corrected.add(revision)
        }
      }),
    )
    expect(corrections).toBeGreaterThan(0)
  })
})

const verdict = (amount: number) => ({
  from: 'pending' as const,
  amount: toCents(amount),
  notes: '',
  traderReceives: toCents(amount),
  firmKeeps: toCents(0),
})

describe('closing an account', () => {
  const rejected = (number: number, amount = 100_00): AccountStreamEvent => ({
    type: 'PayoutRejected',
    data: { payoutId: idOf(number), from: 'pending', amount: toCents(amount), notes: 'The user was deleted' },
  })
  const approved: AccountStreamEvent = {
    type: 'PayoutApproved',
    data: { payoutId: idOf(1), ...verdict(100_00) },
  }

  const cancelled: AccountStreamEvent = {
    type: 'PaymentCancelled',
    data: { payoutId: idOf(1), amount: toCents(100_00), from: 'open' },
  }

  it('rejects what still waits for a verdict and cancels what is not sent, so that no payout stays undecided', () =>
    given(opened, enabled, requested(1), approved, requested(2, 55_00))
      .when(endAccount)
      .then([cancelled, rejected(2, 55_00), closed]))

  it('rejects in the order in which the payouts were requested', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
    given(opened, enabled, ...numbers.map((number) => requested(number)))
      .when(endAccount)
      .then([...numbers.map((number) => rejected(number)), closed])
  })

  it('tells the status it had at the end', () =>
    given(opened, statusChanged('pending', 'breached'))
      .when(endAccount)
      .then([accountClosed('breached')]))

  it('disables payouts and forgets the master password', () => {
    const assigned = loginAssigned(noLogin, login, 'secret')
    expect(given(opened, enabled, assigned, closed).state.account).toMatchObject({
      open: false,
      erased: true,
      payoutsEnabled: false,
      masterPassword: null,
      loginClaim: null,
    })
  })

  it('does nothing the second time, nor without an account', () => {
    given(opened, closed).when(endAccount).thenNothing()
    given().when(endAccount).thenNothing()
  })
})

describe('folding an account', () => {
  it('folds every type of event, and never changes what it is given', () => {
    fc.assert(
      fc.property(anyAccountEvents(30), (events) => {
        const history = appendedEvents(events)
        const before = structuredClone(history)
        expect(fold(frozen(accountStateDecider), history)).toEqual(fold(accountStateDecider, before))
        expect(history).toEqual(before)
      }),
    )
  })

  it.each(Object.keys(accountStreamEvents))('knows what to make of %s', (type) => {
    const one = anyAccountEvents(60).filter((events) => events.some((event) => event.type === type))
    const [events = []] = fc.sample(one, { numRuns: 1, seed: 1 })
    expect(Object.keys(fold(accountStateDecider, appendedEvents(events)))).toEqual(
      Object.keys(accountStateDecider.initial),
    )
  })

  it('gives the same state whether folded at once or in pieces', () => {
    fc.assert(
      fc.property(anyAccountEvents(20), fc.nat(20), (events, cut) => {
        const history = appendedEvents(events)
        const pieces = fold(accountStateDecider, history.slice(cut), fold(accountStateDecider, history.slice(0, cut)))
        expect(pieces).toEqual(fold(accountStateDecider, history))
      }),
    )
  })

  it('passes over a verdict on a payout that it does not know', () => {
    const unknown: AccountStreamEvent = {
      type: 'PayoutApproved',
      data: { payoutId: idOf(9), ...verdict(1) },
    }
    expect(given(opened, unknown).state).toEqual(given(opened).state)
  })
})
