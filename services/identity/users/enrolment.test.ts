import { describe, expect, it } from 'vitest'
import {
  accountDecider,
  type AccountEvent,
  beginStageIn,
  changeAccount,
  closeOnPlatform,
  newAccount,
  passStage,
} from '#services/trading/stream/account.ts'
import { accountIdOf, enrolmentIdOf, orderId, programmeId, userId } from '#services/framework/ids.ts'
import { accountStateDecider } from '#services/trading/stream/account-aggregate.ts'
import { decideAgain } from '#services/trading/stream/decide-again.ts'
import type { StageBeginning } from '#services/trading/stream/programme-stage.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { acceptTerms, assignNextStage, enrolTrader, firstAccount, userDecider, type UserStreamEvent } from './user.ts'
import { FIRST_EVENT_AT, givenEvents, statusChanged } from '#test-support/given-when-then.ts'
import { assignOrder, orderDecider, type OrderEvent, receiveOrder } from '#services/trading/orders/order.ts'

const ada = userId.parse('ada00000')
const [first, second] = [accountIdOf(ada, 1), accountIdOf(ada, 2)]
const enrolment = enrolmentIdOf(ada, 1)
const [hash, otherHash] = ['a'.repeat(64), 'b'.repeat(64)]
const version = { programme: programmeId.parse('two-step-100000'), name: 'Two-Step 100K', version: 1, hash }
const order = orderId.parse('c'.repeat(64))
const terms = presetTerms('two-step', 100_000)

const profile = { fullName: 'Ada', email: 'ada@example.com', country: '', city: '', street: '', houseNumber: '' }
const created: UserStreamEvent = {
  type: 'UserCreated',
  data: { ...profile, emailClaim: 'c', token: 't', tokenHash: 'h', expiresAt: 1 },
}
const enrolled: UserStreamEvent = {
  type: 'TraderEnrolled',
  data: { enrolmentId: enrolment, ...version, accepted: null, account: first, order },
}
const givenUser = givenEvents(userDecider)

describe('an enrolment', () => {
  it('takes the first account, where nothing was set on it, and another one else', () => {
    const wanted = { ...version, accepted: null, order: null }
    const byStaff: UserStreamEvent = { type: 'TraderEnrolled', data: { ...enrolled.data, order: null } }
    givenUser(created, firstAccount(ada))
      .when((user) => enrolTrader(user, ada, wanted, true))
      .then([byStaff])
    givenUser(created, firstAccount(ada))
      .when((user) => enrolTrader(user, ada, wanted, false))
      .then([
        { type: 'AccountAssigned', data: { accountId: second } },
        { type: 'TraderEnrolled', data: { ...byStaff.data, account: second } },
      ])
  })

  it('of an order is made once', () => {
    givenUser(created, firstAccount(ada), enrolled)
      .when((user) => enrolTrader(user, ada, { ...version, accepted: null, order }, true))
      .thenNothing()
  })

  it('has its terms accepted once, those that it names', () => {
    const accepted: UserStreamEvent = { type: 'TermsAccepted', data: { enrolmentId: enrolment, hash } }
    givenUser(created, firstAccount(ada), enrolled)
      .when((user) => acceptTerms(user, enrolment, hash))
      .then([accepted])
    givenUser(created, firstAccount(ada), enrolled, accepted)
      .when((user) => acceptTerms(user, enrolment, hash))
      .thenNothing()
    const given = givenUser(created, firstAccount(ada), enrolled)
    given
      .when((user) => acceptTerms(user, enrolment, otherHash))
      .thenRefused('conflict', 'These are not the terms of your enrolment. Please read them again.', 'hash')
    given.when((user) => acceptTerms(user, enrolmentIdOf(ada, 2), hash)).thenRefused('not-found', 'Enrolment not found')
  })

  it('gets the account of its next stage once', () => {
    const assigned: UserStreamEvent[] = [
      { type: 'AccountAssigned', data: { accountId: second } },
      { type: 'NextStageAssigned', data: { enrolmentId: enrolment, stage: 1, account: second } },
    ]
    givenUser(created, firstAccount(ada), enrolled)
      .when((user) => assignNextStage(user, ada, enrolment, 0))
      .then(assigned)
    givenUser(created, firstAccount(ada), enrolled, ...assigned)
      .when((user) => assignNextStage(user, ada, enrolment, 0))
      .thenNothing()
  })
})

describe('the account of a stage', () => {
  const opened: AccountEvent = { type: 'AccountOpened', data: { accountId: first } }
  const begun = (stage: number): AccountEvent => ({
    type: 'StageBegun',
    data: { enrolmentId: enrolment, programme: version.programme, version: 1, hash, stage, terms },
  })
  const nowhere = { login: null, server: null }
  const login = { login: '700', server: 'Live' }
  const assigned: Extract<AccountEvent, { type: 'PlatformLoginAssigned' }> = {
    type: 'PlatformLoginAssigned',
    data: { from: nowhere, to: login, masterPassword: null, claims: { from: null, to: 'claim' } },
  }
  const breached: AccountEvent = {
    type: 'AccountStatusChanged',
    data: { from: 'pending', to: 'breached', reason: null, evidence: null, corrects: null },
  }
  const closedThere: AccountEvent = { type: 'ClosedOnPlatform', data: login }
  const given = givenEvents(accountDecider)

  it('closes with its status when it is passed', () => {
    given(opened, begun(0), assigned)
      .when(passStage)
      .then([
        { type: 'StagePassed', data: { enrolmentId: enrolment, stage: 0, name: 'Phase 1' } },
        {
          type: 'AccountClosed',
          data: { status: 'pending', reason: null, wasOpen: true, cause: 'passed', loginClaim: 'claim' },
        },
      ])
  })

  const becameActive = statusChanged('pending', 'active')
  const withPassword = (masterPassword: string | null): AccountEvent => ({
    ...assigned,
    data: { ...assigned.data, from: login, masterPassword, claims: { from: 'claim', to: 'claim' } },
  })

  it('becomes active with the last part of its login, whichever that is', () => {
    const claim = { ...login, loginClaim: 'claim', since: 1 }
    const onMt5: AccountEvent = { type: 'PlatformChanged', data: { from: null, to: 'mt5' } }
    given(opened, begun(0))
      .when((account) => changeAccount(account, login, {}, claim))
      .then([assigned])
    given(opened, begun(0), assigned)
      .when((account) => changeAccount(account, { masterPassword: 'secret' }))
      .then([withPassword('secret')])
    given(opened, begun(0), assigned, withPassword('secret'))
      .when((account) => changeAccount(account, { platform: 'mt5' }))
      .then([onMt5, becameActive])
    given(opened, begun(0), assigned, onMt5)
      .when((account) => changeAccount(account, { masterPassword: 'secret' }))
      .then([withPassword('secret'), becameActive])
    // What is whole already makes nobody active whom staff have made pending.
    given(opened, begun(0), assigned, withPassword('secret'), onMt5)
      .when((account) => changeAccount(account, { masterPassword: 'another' }))
      .then([withPassword('another')])
  })

  it('became active with its login alone, as decided before version 4', () => {
    const claim = { ...login, loginClaim: 'claim', since: 1 }
    given(opened, begun(0))
      .when((account) => changeAccount(account, login, {}, claim, 3))
      .then([assigned, becameActive])
  })

  it('is decided again as its version says, without its password', () => {
    const platform: AccountEvent = { type: 'PlatformChanged', data: { from: null, to: 'mt5' } }
    const decided = (before: readonly AccountEvent[], append: readonly AccountEvent[], decisions: number) => {
      const at = FIRST_EVENT_AT + 1_000
      const events = append.map((event, n) => ({ ...event, at, decisions, revision: before.length + n }))
      return decideAgain(givenEvents(accountStateDecider)(...before).state, events, 0).events
    }
    const before = [opened, begun(0)]
    expect(decided(before, [assigned, becameActive], 3)).toBe(2)
    // The login follows, the status does not.
    expect(decided(before, [assigned, becameActive], 4)).toBe(1)
    expect(decided([...before, assigned], [becameActive], 4)).toBe(0)
    expect(decided(before, [assigned], 4)).toBe(1)
    expect(decided(before, [platform, assigned, becameActive], 4)).toBe(1)
    expect(decided([...before, platform], [assigned, becameActive], 4)).toBe(2)
    expect(decided([...before, assigned, withPassword(null)], [platform, becameActive], 4)).toBe(2)
    expect(decided([...before, assigned], [platform], 4)).toBe(1)
  })

  it('is not passed without a programme, funded, breached, or not open', () => {
    given(opened).when(passStage).thenRefused('conflict', 'This account has no programme: it passes no stage')
    given(opened, begun(2)).when(passStage).thenRefused('conflict', 'A funded stage is not passed')
    given(opened, begun(0), breached).when(passStage).thenRefused('conflict', 'A breached account passes no stage')
    expect(() => passStage(newAccount)).toThrow('Account not found')
  })

  it('gets payouts in the funded stage only', () => {
    given(opened, begun(1))
      .when((account) => changeAccount(account, { payoutEnabled: true }))
      .thenRefused(
        'conflict',
        'Payouts begin with the funded stage of the programme: this account is in Phase 2',
        'payoutEnabled',
      )
    given(opened, begun(2))
      .when((account) => changeAccount(account, { payoutEnabled: true }))
      .then([{ type: 'PayoutsEnabled', data: {} }])
  })

  it('gets them with its funded stage where its programme says so, and its terms do not leave it to staff', () => {
    const phase: StageBeginning = {
      ...{ enrolmentId: enrolment, programme: version.programme, version: 1, hash, stage: 1, terms },
      enablesPayouts: true,
    }
    const funded = { ...phase, stage: 2 }
    const types = (beginning: StageBeginning) => beginStageIn(newAccount, first, beginning).map(({ type }) => type)
    expect(types(funded)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun', 'PayoutsEnabled'])
    for (const one of [
      phase,
      { ...funded, enablesPayouts: undefined },
      { ...funded, terms: { ...terms, payoutsEnabled: 'by-staff' as const } },
    ])
      expect(types(one)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
  })

  it('is closed on the platform once it is breached or closed, once for each login', () => {
    given(opened, begun(0), assigned)
      .when(closeOnPlatform)
      .thenRefused('conflict', 'This account is neither breached nor closed: its trader may trade on it')
    given(opened, begun(0), breached)
      .when(closeOnPlatform)
      .thenRefused('conflict', 'This account has no login on a platform')
    given(opened, begun(0), assigned, breached).when(closeOnPlatform).then([closedThere])
    given(opened, begun(0), assigned, breached, closedThere).when(closeOnPlatform).thenNothing()
  })
})

describe('an order', () => {
  const received = { content: 'x', ...version, accepted: null, newTrader: ada }
  const receipt: OrderEvent = { type: 'OrderReceived', data: received }
  const given = givenEvents(orderDecider)

  it('is received once, and refused with other content', () => {
    given()
      .when((state) => receiveOrder(state, received))
      .then([receipt])
    given(receipt)
      .when((state) => receiveOrder(state, { ...received, newTrader: userId.parse('bob00000') }))
      .thenNothing()
    given(receipt)
      .when((state) => receiveOrder(state, { ...received, content: 'y' }))
      .thenRefused('conflict', 'This order was received before, with other content', 'order')
  })

  it('is assigned once', () => {
    const assigned: OrderEvent = { type: 'OrderAssigned', data: { trader: ada } }
    given(receipt)
      .when((state) => assignOrder(state, ada))
      .then([assigned])
    given(receipt, assigned)
      .when((state) => assignOrder(state, userId.parse('bob00000')))
      .thenNothing()
  })
})
