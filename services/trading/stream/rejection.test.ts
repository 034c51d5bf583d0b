import { describe, expect, it } from 'vitest'
import { accountIdOf, adminKeyId, findingIdOf, observationIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { availablePayout } from './available-payout.ts'
import { approvePayout, rejectPayout, withdrawPayout } from './payout.ts'
import type { RejectionReasons } from './rejection.ts'

const given = givenEvents(accountStateDecider)

const account = accountIdOf(userId.parse('trader01'), 1)
const id = payoutId.parse(`${account}-p1`)
const [dana, robin] = [adminKeyId.parse('dana'), adminKeyId.parse('robin')]
const event = { revision: 3, number: 17 }
const NOW = Date.parse('2026-04-20T00:00:00Z')
const amount = toCents(1_000_00)

const plain: AccountStreamEvent[] = [
  { type: 'AccountOpened', data: { accountId: account } },
  { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(10_000_00), kind: 'deposit' } },
]
const terms = presetTerms('two-step', 100_000)
/** A funded stage that won $4,000.00. */
const funded: AccountStreamEvent[] = [
  ...begunStage(account, terms, terms.stages.length - 1),
  {
    type: 'ObservationsRecorded',
    data: {
      ...{ first: 1, source: 'feed', importId: null },
      observations: [
        observation.parse({
          ...{ at: '2026-03-02T20:00:00Z', kind: 'trade', id: 'W', openedAt: '2026-03-02T10:00:00Z' },
          ...{ profit: '4000.00', volume: '1.00' },
        }),
      ],
    },
  },
  { type: 'BalanceChanged', data: { from: toCents(100_000_00), to: toCents(104_000_00), kind: 'trade-result' } },
]
const requested: AccountStreamEvent = {
  type: 'PayoutRequested',
  data: { payoutId: id, amount, method: 'paypal', details: 'ada@example.com', destination: null, idempotency: null },
}
const shown = { observation: observationIdOf(account, 1), event }

const reject =
  (reasons: RejectionReasons = {}, member = dana, secondApprovalAbove: typeof amount | null = null) =>
  (state: AccountState) =>
    rejectPayout(state, id, 'Copied trades', reasons, { member, secondApprovalAbove, lapsed: null })
const approve = (state: AccountState) => approvePayout(state, id, { now: NOW })
const rejected = (reasons: RejectionReasons, from: 'pending' | 'approved' = 'pending'): AccountStreamEvent => ({
  type: 'PayoutRejected',
  data: {
    ...{ payoutId: id, from, amount, notes: 'Copied trades' },
    ...{ code: reasons.code, money: reasons.money },
    ...(reasons.evidence && { evidence: [...reasons.evidence] }),
  },
})
const forfeit = (type: 'PayoutForfeited' | 'PayoutForfeitReversed', from: number, to: number): AccountStreamEvent => ({
  type,
  data: { payoutId: id, from: toCents(from), to: toCents(to) },
})
const forfeited: RejectionReasons = { code: 'identity', money: 'forfeited' }
const availableIn = ({ stage }: AccountState) => (stage ? availablePayout(stage, NOW, 0) : null)

describe('the reasons of a rejection', () => {
  it('may be left out, as the specified call does', () => {
    given(...plain, requested)
      .when(reject())
      .then([{ type: 'PayoutRejected', data: { payoutId: id, from: 'pending', amount, notes: 'Copied trades' } }])
    expect(given(...plain, requested, rejected({})).state.payouts.list.get(id)?.rejection).toEqual({
      ...{ code: 'other', money: 'stays', evidence: [] },
    })
  })

  it.each(['rule', 'prohibited-trading'] as const)('need evidence for %s, only under a programme', (code) => {
    given(...plain, requested)
      .when(reject({ code }))
      .thenState()
    given(...funded, requested)
      .when(reject({ code }))
      .thenRefused('invalid', expect.stringMatching(/needs a finding or an observation/), 'evidence')
    given(...funded, requested)
      .when(reject({ code, evidence: [shown] }))
      .then([rejected({ code, evidence: [shown] })])
  })

  it.each([
    ['an observation that was not recorded', { observation: observationIdOf(account, 2), event }, 'observation'],
    [
      'an observation of another account',
      { observation: observationIdOf(accountIdOf(userId.parse('trader02'), 1), 1), event },
      'observation',
    ],
    ['a finding that was not raised', { finding: findingIdOf(account, 1), event }, 'finding'],
  ])('are refused with %s', (_, item, kind) => {
    given(...funded, requested)
      .when(reject({ code: 'identity', evidence: [shown, item] }))
      .thenRefused('invalid', expect.stringMatching(/^This account has no/), `evidence[1].${kind}`)
  })

  it('name nothing twice', () => {
    given(...funded, requested)
      .when(reject({ evidence: [shown, shown] }))
      .thenRefused('invalid', 'This is named twice', 'evidence[1].observation')
  })
})

describe('a forfeit', () => {
  it('leaves the account with its rejection, and comes back with the approval, which then pays', () => {
    given(...plain, requested)
      .when(reject(forfeited))
      .then([rejected(forfeited), forfeit('PayoutForfeited', 10_000_00, 9_000_00)])
    const gone = [...funded, requested, rejected(forfeited), forfeit('PayoutForfeited', 104_000_00, 103_000_00)]
    given(...gone)
      .when(approve)
      .then([
        {
          type: 'PayoutApproved',
          data: {
            ...{ payoutId: id, from: 'rejected', amount, notes: '' },
            ...{ traderReceives: toCents(800_00), firmKeeps: toCents(200_00) },
          },
        },
        forfeit('PayoutForfeitReversed', 103_000_00, 104_000_00),
        { type: 'PayoutDeducted', data: { payoutId: id, from: toCents(104_000_00), to: toCents(103_000_00) } },
      ])
    const back = given(...gone)
      .when(approve)
      .thenState()
    expect(back.account.balance).toBe(103_000_00)
    expect(back.ledger.sums).toMatchObject({ forfeit: -1_000_00, 'forfeit-reversed': 1_000_00, payout: -1_000_00 })
  })

  it('lowers the profit that is available, as if nothing had happened once it is booked back', () => {
    const gone = given(...funded, requested, rejected(forfeited), forfeit('PayoutForfeited', 104_000_00, 103_000_00))
    expect(availableIn(gone.state)).toMatchObject({ profit: 3_000_00, available: 3_000_00 })
    const back = given(
      ...[...funded, requested, rejected(forfeited), forfeit('PayoutForfeited', 104_000_00, 103_000_00)],
      forfeit('PayoutForfeitReversed', 103_000_00, 104_000_00),
    )
    expect(availableIn(back.state)).toEqual(availableIn(given(...funded).state))
  })

  it.each([undefined, 'other', 'mistake'] as const)('is refused for the code %s', (code) => {
    given(...plain, requested)
      .when(reject({ code, money: 'forfeited' }))
      .thenRefused('invalid', expect.any(String), 'money')
  })

  it('is refused where the balance does not cover it', () => {
    const poor: AccountStreamEvent = {
      type: 'BalanceChanged',
      data: { from: toCents(10_000_00), to: toCents(999_99), kind: 'trade-result' },
    }
    given(...plain, requested, poor)
      .when(reject(forfeited))
      .thenRefused('conflict', 'The balance of $999.99 does not cover this amount')
  })

  it('takes what an approval deducted once, not twice', () => {
    const state = given(...funded, requested)
      .when(approve)
      .thenState()
    expect(state.account.balance).toBe(103_000_00)
    expect(rejectPayout(state, id, 'Copied trades', forfeited).map(({ type, data }) => [type, data])).toEqual([
      ['PayoutRejected', expect.objectContaining({ from: 'approved' })],
      ['PayoutBookedBack', { payoutId: id, from: 103_000_00, to: 104_000_00 }],
      ['PayoutForfeited', { payoutId: id, from: 104_000_00, to: 103_000_00 }],
    ])
  })

  it('stays with a rejection that only ends a first approval, and is not booked twice', () => {
    const first: AccountStreamEvent = {
      type: 'PayoutFirstApproved',
      data: { payoutId: id, from: 'rejected', amount, notes: '', member: dana },
    }
    const waiting = given(
      ...[...plain, requested, rejected(forfeited), forfeit('PayoutForfeited', 10_000_00, 9_000_00), first],
    )
    expect(
      waiting
        .when(reject({ code: 'identity' }))
        .thenState()
        .payouts.list.get(id)?.rejection,
    ).toMatchObject({ money: 'forfeited' })
    waiting.when(reject({ code: 'identity', money: 'stays' })).thenRefused('conflict', expect.any(String))
  })
})

describe('a forfeit that two members have to give', () => {
  const limit = toCents(500_00)
  const first: AccountStreamEvent = {
    type: 'PayoutFirstForfeited',
    data: { payoutId: id, from: 'pending', amount, notes: 'Copied trades', member: dana, code: 'identity' },
  }

  it('leaves the payout pending until the second', () => {
    given(...plain, requested)
      .when(reject(forfeited, dana, limit))
      .then([first])
    given(...plain, requested, first)
      .when(reject(forfeited, dana, limit))
      .thenRefused('conflict', 'You were the first to forfeit this payout. Another member of staff has to do it too.')
    given(...plain, requested, first)
      .when(reject(forfeited, robin, limit))
      .then([rejected(forfeited), forfeit('PayoutForfeited', 10_000_00, 9_000_00)])
    given(...plain, requested)
      .when(reject(forfeited, dana, amount))
      .then([rejected(forfeited), forfeit('PayoutForfeited', 10_000_00, 9_000_00)])
  })

  it.each([
    ['a rejection that leaves the money', reject({}, robin, limit)],
    ['an approval', approve],
    ['a withdrawal', (state: AccountState) => withdrawPayout(state, id)],
  ])('is ended by %s', (_, verdict) => {
    const state = given(...plain, requested, first)
      .when(verdict)
      .thenState()
    expect(state.payouts.list.get(id)?.firstForfeit).toBeNull()
  })

  it('ends a first approval, and is ended by one', () => {
    const approvedFirst: AccountStreamEvent = {
      type: 'PayoutFirstApproved',
      data: { payoutId: id, from: 'pending', amount, notes: '', member: robin },
    }
    const firstsOf = (...events: AccountStreamEvent[]) => {
      const payout = given(...plain, requested, ...events).state.payouts.list.get(id)
      return [payout?.firstApproval?.member ?? null, payout?.firstForfeit?.member ?? null]
    }
    expect(firstsOf(approvedFirst, first)).toEqual([null, dana])
    expect(firstsOf(first, approvedFirst)).toEqual([robin, null])
  })
})
