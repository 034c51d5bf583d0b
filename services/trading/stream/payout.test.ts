import { accountStateDecider, type AccountState, type AccountStreamEvent } from './account-aggregate.ts'
import { describe, expect, it } from 'vitest'
import { accountIdOf, type AdminKeyId, adminKeyId, type PayoutId, payoutId, userId } from '#services/framework/ids.ts'
import { type Cents, toCents } from '#services/rules/money.ts'
import {
  approvePayout,
  earlierRequest,
  holdPayout,
  isStillDecidedAt,
  payoutMethod,
  type PayoutMethod,
  type PayoutRequest,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from './payout.ts'
import { accountClosed, FIRST_EVENT_AT, givenEvents } from '#test-support/given-when-then.ts'

const given = givenEvents(accountStateDecider)

const owner = accountIdOf(userId.parse('trader01'), 1)
const idOf = (number: number): PayoutId => payoutId.parse(`${owner}-p${number}`)
const opened: AccountStreamEvent = { type: 'AccountOpened', data: { accountId: owner } }
const enabled: AccountStreamEvent = { type: 'PayoutsEnabled', data: {} }
const disabled: AccountStreamEvent = { type: 'PayoutsDisabled', data: {} }
const closed = accountClosed('active')

const key = { key: 'key-1', digest: 'digest-1' }
const requests: PayoutRequest = {
  amount: toCents(250_00),
  method: 'paypal',
  details: 'ada@example.com',
  destination: null,
  idempotency: null,
}

const requested = (number: number, idempotency: PayoutRequest['idempotency'] = null): AccountStreamEvent => ({
  type: 'PayoutRequested',
  data: { payoutId: idOf(number), ...requests, idempotency },
})
const approved = (number: number, from: 'pending' | 'rejected' = 'pending', notes = ''): AccountStreamEvent => ({
  type: 'PayoutApproved',
  data: {
    payoutId: idOf(number),
    from,
    amount: toCents(250_00),
    notes,
    traderReceives: toCents(250_00),
    firmKeeps: toCents(0),
  },
})
const rejected = (number: number, from: 'pending' | 'approved' = 'pending', notes = 'Not now'): AccountStreamEvent => ({
  type: 'PayoutRejected',
  data: {
    payoutId: idOf(number),
    from,
    amount: toCents(250_00),
    notes,
    ...(from === 'approved' && { traderReceives: toCents(250_00) }),
  },
})

const NOT_ELIGIBLE = 'Your account is not currently eligible for payouts. Please contact support for more information.'

describe('asking for a payout', () => {
  const ask =
    (request: Partial<PayoutRequest> = {}) =>
    (state: AccountState) =>
      requestPayout(state, { ...requests, ...request }, 0)

  it('is recorded while payouts are enabled', () =>
    given(opened, enabled)
      .when(ask())
      .then([requested(1)]))

  it.each(payoutMethod.options)('can be paid by %s', (method: PayoutMethod) =>
    given(opened, enabled)
      .when(ask({ method }))
      .then([{ type: 'PayoutRequested', data: { payoutId: idOf(1), ...requests, method } }]),
  )

  it('starts as pending, without notes or verdict', () => {
    expect(given(opened, enabled, requested(1)).state.payouts.list.get(idOf(1))).toEqual({
      id: idOf(1),
      amount: 250_00,
      method: 'paypal',
      details: 'ada@example.com',
      destination: null,
      status: 'pending',
      notes: null,
      requestedAt: FIRST_EVENT_AT + 2000,
      decidedAt: null,
      shares: null,
      deducted: false,
      firstApproval: null,
      firstForfeit: null,
      rejection: null,
      promise: null,
      hold: null,
      holdChangedAt: null,
      holdRevision: null,
      payment: null,
      attempts: 0,
      former: [],
      proposal: null,
    })
  })

  it('numbers the payouts of an account', () =>
    given(opened, enabled, requested(1), requested(2), rejected(1))
      .when(ask())
      .then([requested(3)]))

  it('is refused while payouts are disabled', () => {
    given(opened).when(ask()).thenRefused('forbidden', NOT_ELIGIBLE)
    given(opened, enabled, disabled).when(ask()).thenRefused('forbidden', NOT_ELIGIBLE)
  })

  it('is possible again once payouts are enabled again', () =>
    given(opened, enabled, disabled, enabled)
      .when(ask())
      .then([requested(1)]))

  it('is refused without an account and once it is closed', () => {
    given().when(ask()).thenRefused('not-found', 'Account not found')
    given(opened, enabled, closed).when(ask()).thenRefused('not-found', 'Account not found')
    const byStaff: AccountStreamEvent = {
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Passed', wasOpen: true, cause: 'staff', loginClaim: null },
    }
    given(opened, enabled, byStaff).when(ask()).thenRefused('forbidden', NOT_ELIGIBLE)
  })

  it.each([0, -1, -250_00])('is refused for an amount of %d cents', (amount) =>
    given(opened, enabled)
      .when(ask({ amount: toCents(amount) }))
      .thenRefused('invalid', 'Amount must be greater than 0', 'amount'),
  )

  it('is possible for a single cent', () =>
    given(opened, enabled)
      .when(ask({ amount: toCents(1) }))
      .then([{ type: 'PayoutRequested', data: { payoutId: idOf(1), ...requests, amount: toCents(1) } }]))
})

describe('a hold', () => {
  const HOUR = 3_600_000
  const now = FIRST_EVENT_AT + 100 * HOUR
  const reason =
    'The email was changed or the password reset within 72 hours before this request, and the destination is new.'
  const held = (number: number, from: string | null, to: string | null): AccountStreamEvent => ({
    type: 'PayoutHoldChanged',
    data: { payoutId: idOf(number), from, to },
  })
  const ask = (accessChangedAt: number | null) => (state: AccountState) =>
    requestPayout(state, requests, now, accessChangedAt)

  it('is put on a new destination within 72 hours of a new email or a reset', () => {
    given(opened, enabled)
      .when(ask(now - 72 * HOUR + 1))
      .then([requested(1), held(1, null, reason)])
    given(opened, enabled)
      .when(ask(now - 72 * HOUR))
      .then([requested(1)])
    given(opened, enabled)
      .when(ask(null))
      .then([requested(1)])
    given(opened, enabled, requested(1))
      .when(ask(now - HOUR))
      .then([requested(2)])
  })

  const hold = (to: string | null) => (state: AccountState) => holdPayout(state, idOf(1), to)

  it('is changed and released by staff while the payout may still be paid', () => {
    given(opened, enabled, requested(1))
      .when(hold('Who is this?'))
      .then([held(1, null, 'Who is this?')])
    given(opened, enabled, requested(1), held(1, null, 'Who is this?'))
      .when(hold(null))
      .then([held(1, 'Who is this?', null)])
    given(opened, enabled, requested(1)).when(hold(null)).thenNothing()
    given(opened, enabled, requested(1), rejected(1))
      .when(hold('Who is this?'))
      .thenRefused('conflict', 'This payout is already rejected')
    given(opened).when(hold('Who is this?')).thenRefused('not-found', 'Payout request not found')
  })
})

describe('withdrawing', () => {
  const withdrawn: AccountStreamEvent = {
    type: 'PayoutWithdrawn',
    data: { payoutId: idOf(1), amount: toCents(250_00) },
  }
  const withdraw = (state: AccountState) => withdrawPayout(state, idOf(1))

  it('takes a request back while it waits, also after the first of two approvals', () => {
    const first: AccountStreamEvent = {
      type: 'PayoutFirstApproved',
      data: {
        payoutId: idOf(1),
        from: 'pending',
        amount: toCents(250_00),
        notes: '',
        member: adminKeyId.parse('dana'),
      },
    }
    given(opened, enabled, requested(1)).when(withdraw).then([withdrawn])
    const { payouts } = given(opened, enabled, requested(1), first).when(withdraw).thenState()
    expect(payouts.list.get(idOf(1))).toMatchObject({ status: 'withdrawn', firstApproval: null })
  })

  it('is final', () => {
    const given1 = given(opened, enabled, requested(1), withdrawn)
    const WITHDRAWN = 'This payout is already withdrawn'
    given1.when(withdraw).thenRefused('conflict', WITHDRAWN)
    given1.when((state) => approvePayout(state, idOf(1), { now: 0 })).thenRefused('conflict', WITHDRAWN)
    given1.when((state) => rejectPayout(state, idOf(1), 'No')).thenRefused('conflict', WITHDRAWN)
  })
})

describe('asking twice with one Idempotency-Key', () => {
  const ask = (idempotency: PayoutRequest['idempotency']) => (state: AccountState) =>
    requestPayout(state, { ...requests, idempotency }, 0)

  it('makes one payout', () => given(opened, enabled, requested(1, key)).when(ask(key)).thenNothing())

  it('makes one payout also when it was decided or payouts were disabled meanwhile', () => {
    given(opened, enabled, requested(1, key), approved(1), disabled).when(ask(key)).thenNothing()
    given(opened, enabled, requested(1, key), closed).when(ask(key)).thenNothing()
  })

  it('finds the payout that was made first', () => {
    const { state } = given(opened, enabled, requested(1), requested(2, key), requested(3))
    expect(earlierRequest(state.payouts, key)).toBe(idOf(2))
    expect(earlierRequest(state.payouts, { key: 'key-2', digest: 'digest-1' })).toBeUndefined()
    expect(earlierRequest(state.payouts, null)).toBeUndefined()
  })

  it('is refused for a different request', () =>
    given(opened, enabled, requested(1, key))
      .when(ask({ key: 'key-1', digest: 'digest-2' }))
      .thenRefused('conflict', 'This Idempotency-Key was already used for a different request'))

  it('makes two payouts with two keys, or with none', () => {
    const other = { key: 'key-2', digest: 'digest-1' }
    given(opened, enabled, requested(1, key))
      .when(ask(other))
      .then([requested(2, other)])
    given(opened, enabled, requested(1))
      .when(ask(null))
      .then([requested(2)])
  })
})

describe('approving a payout', () => {
  const approve = (number: number, notes?: string) => (state: AccountState) =>
    approvePayout(state, idOf(number), { notes: notes ?? '', now: 0 })

  it('approves a pending payout', () =>
    given(opened, enabled, requested(1))
      .when(approve(1))
      .then([approved(1)]))

  it('approves a rejected payout', () =>
    given(opened, enabled, requested(1), rejected(1))
      .when(approve(1))
      .then([approved(1, 'rejected')]))

  it('needs no notes, but keeps those given', () =>
    given(opened, enabled, requested(1))
      .when(approve(1, 'Paid today'))
      .then([approved(1, 'pending', 'Paid today')]))

  it('is refused the second time', () =>
    given(opened, enabled, requested(1), approved(1))
      .when(approve(1))
      .thenRefused('conflict', 'This payout is already approved'))

  it('is refused for a payout that is not there', () => {
    given(opened, enabled, requested(1)).when(approve(2)).thenRefused('not-found', 'Payout request not found')
    given().when(approve(1)).thenRefused('not-found', 'Payout request not found')
  })

  it('is refused for a number that only looks the same', () =>
    given(opened, enabled, requested(1))
      .when((state) => approvePayout(state, payoutId.parse('stranger01-a1-p1'), { now: 0 }))
      .thenRefused('not-found', 'Payout request not found'))

  it('is refused once the account is closed', () =>
    given(opened, enabled, requested(1), closed).when(approve(1)).thenRefused('not-found', 'Payout request not found'))

  it('is possible while payouts are disabled: eligibility is for asking', () =>
    given(opened, enabled, requested(1), disabled)
      .when(approve(1))
      .then([approved(1)]))
})

describe('a payout that two members have to approve', () => {
  const [dana, robin] = [adminKeyId.parse('dana'), adminKeyId.parse('robin')]
  const above = (dollars: number) => toCents(dollars * 100)
  const approve =
    (
      member: AdminKeyId,
      secondApprovalAbove: Cents | null = above(200),
      notes = '',
      lapsed: AdminKeyId | null = null,
    ) =>
    (state: AccountState) =>
      approvePayout(state, idOf(1), { notes, now: 0, approver: { member, secondApprovalAbove, lapsed } })
  const firstApproved = (member = dana, from: 'pending' | 'rejected' = 'pending', notes = ''): AccountStreamEvent => ({
    type: 'PayoutFirstApproved',
    data: { payoutId: idOf(1), from, amount: toCents(250_00), notes, member },
  })

  it('stays pending after the first approval, and is approved by the second', () => {
    given(opened, enabled, requested(1))
      .when(approve(dana, above(200), 'Checked'))
      .then([firstApproved(dana, 'pending', 'Checked')])
    const { state } = given(opened, enabled, requested(1), firstApproved())
    expect(state.payouts.list.get(idOf(1))).toMatchObject({
      status: 'pending',
      notes: null,
      decidedAt: null,
      shares: null,
      deducted: false,
      firstApproval: { member: dana },
    })
    given(opened, enabled, requested(1), firstApproved())
      .when(approve(robin))
      .then([approved(1)])
  })

  it('is refused to the same member twice', () =>
    given(opened, enabled, requested(1), firstApproved())
      .when(approve(dana))
      .thenRefused(
        'conflict',
        'You gave the first approval of this payout. Another member of staff has to give the second.',
      ))

  it.each([above(250), above(1_000), null])('is approved at once when the limit is %s', (limit) =>
    given(opened, enabled, requested(1))
      .when(approve(dana, limit))
      .then([approved(1)]),
  )

  it('needs two new approvals after a rejection', () => {
    const reject = (state: AccountState) => rejectPayout(state, idOf(1), 'Not now')
    given(opened, enabled, requested(1), firstApproved())
      .when(reject)
      .then([rejected(1)])
    given(opened, enabled, requested(1), firstApproved(), rejected(1))
      .when(approve(robin))
      .then([firstApproved(robin, 'rejected')])
    // A payout that was rejected before can be rejected again, to end the approval.
    given(opened, enabled, requested(1), rejected(1), firstApproved(dana, 'rejected'))
      .when(reject)
      .then([
        {
          type: 'PayoutRejected',
          data: { payoutId: idOf(1), from: 'rejected', amount: toCents(250_00), notes: 'Not now' },
        },
      ])
  })

  it('begins again at the first approval when the member who gave it may not decide any more', () => {
    given(opened, enabled, requested(1), firstApproved(dana))
      .when(approve(robin, above(200), '', dana))
      .then([firstApproved(robin)])
    // A verdict may be based on either: the list may not have left the first approval out yet.
    const { state } = given(opened, enabled, requested(1), firstApproved(dana))
    expect(
      [null, FIRST_EVENT_AT + 3_000, FIRST_EVENT_AT].map((at) => isStillDecidedAt(state.payouts, idOf(1), at, dana)),
    ).toEqual([true, true, false])
    given(opened, enabled, requested(1), firstApproved(dana), firstApproved(robin))
      .when(approve(adminKeyId.parse('kimberly'), above(200), '', dana))
      .then([approved(1)])
  })

  it('is another state than before the first approval, for a verdict based on it', () => {
    const { state } = given(opened, enabled, requested(1), firstApproved())
    expect([
      isStillDecidedAt(state.payouts, idOf(1), null),
      isStillDecidedAt(state.payouts, idOf(1), FIRST_EVENT_AT + 3_000),
    ]).toEqual([false, true])
  })
})

describe('rejecting a payout', () => {
  const reject = (number: number, notes: string) => (state: AccountState) => rejectPayout(state, idOf(number), notes)
  const NEEDS_NOTES = 'Please provide notes for rejecting this payout'

  it('rejects a pending payout', () =>
    given(opened, enabled, requested(1))
      .when(reject(1, 'Not now'))
      .then([rejected(1)]))

  it('rejects an approved payout', () =>
    given(opened, enabled, requested(1), approved(1))
      .when(reject(1, 'Not now'))
      .then([rejected(1, 'approved')]))

  it.each(['', ' ', '\n\t '])('is refused with blank notes (%j)', (notes) =>
    given(opened, enabled, requested(1)).when(reject(1, notes)).thenRefused('invalid', NEEDS_NOTES, 'adminNotes'),
  )

  it('is refused the second time', () =>
    given(opened, enabled, requested(1), rejected(1))
      .when(reject(1, 'Never'))
      .thenRefused('conflict', 'This payout is already rejected'))

  it('is refused for a payout that is not there', () =>
    given(opened, enabled).when(reject(1, 'Never')).thenRefused('not-found', 'Payout request not found'))
})

describe('a payout with several verdicts', () => {
  it('has the status, notes and time of the last one', () => {
    const { state } = given(opened, enabled, requested(1), rejected(1), approved(1, 'rejected', 'After all'))
    expect(state.payouts.list.get(idOf(1))).toMatchObject({
      status: 'approved',
      notes: 'After all',
      decidedAt: FIRST_EVENT_AT + 4000,
    })
  })

  it('goes back and forth as often as is decided', () => {
    const { state } = given(
      opened,
      enabled,
      requested(1),
      approved(1),
      rejected(1, 'approved'),
      approved(1, 'rejected'),
    )
    expect(state.payouts.list.get(idOf(1))?.status).toBe('approved')
  })

  it('leaves the other payouts alone', () => {
    const { state } = given(opened, enabled, requested(1), requested(2), approved(2))
    expect([...state.payouts.list.values()].map(({ status }) => status)).toEqual(['pending', 'approved'])
  })
})
