import { balanceChanges } from '#services/trading/accounts/balance-read-model.ts'
import { decisions } from '#services/trading/accounts/decision-read-model.ts'
import type { EventDescription } from '#services/framework/event-description.ts'
import { eventDescriptions, type AnyEvent, definitions } from '#services/oversight/event-catalogue.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { FIRM, firm } from '#services/trading/traders/firm-read-model.ts'
import { emptyDay, firmDays, utcDay } from '#services/oversight/statistics/firm-day-read-model.ts'
import { certificates } from '#services/trading/certificates/certificate-read-model.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import { describe, expect, it } from 'vitest'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { accountIdOf, certificateId, payoutId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { accountClosed, statusChanged } from '#test-support/given-when-then.ts'
import { decryptPersonalFields } from '#services/event-sourcing/codec/event-codec.ts'
import { firstEventAt, recordedEvents, testKey } from '#test-support/recorded-events.ts'
import { allProjections } from './modules.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'

const anna = userId.parse('anna0001')
const ben = userId.parse('ben00001')
const p1 = payoutId.parse(`${anna}-a1-p1`)
const p2 = payoutId.parse(`${anna}-a1-p2`)
const c1 = certificateId.parse(`${anna}-a1-c1`)

const profile = {
  fullName: 'Anna Smith',
  email: 'anna@example.com',
  country: 'uk',
  city: 'London',
  street: 'Baker Street',
  houseNumber: '221b',
  emailClaim: 'claim',
}

const registered: AnyEvent = {
  type: 'UserRegistered',
  data: { ...profile, passwordHash: 'hash', privacyPolicyAgreed: true },
}
const created: AnyEvent = { type: 'UserCreated', data: { ...profile, token: 't', tokenHash: 'h', expiresAt: 1 } }
const opened: AnyEvent = { type: 'AccountOpened', data: { accountId: accountIdOf(anna, 1) } }
const requested = (id: typeof p1, dollars: number): AnyEvent => ({
  type: 'PayoutRequested',
  data: {
    payoutId: id,
    amount: toCents(dollars * 100),
    method: 'paypal',
    details: 'anna@paypal.example',
    destination: null,
    idempotency: null,
  },
})

const user = (event: AnyEvent) => [`user-${anna}`, event] as const
const account = (event: AnyEvent) => [`account-${anna}-a1`, event] as const
const assigned = account({
  type: 'PlatformLoginAssigned',
  data: {
    from: { login: null, server: null },
    to: { login: '501', server: 'MT5-Live' },
    masterPassword: 's3cret',
    claims: { from: null, to: 'c' },
  },
})
const minute = (number: number) => firstEventAt + number * 60_000

/** The stamp of the fact that was recorded in this minute: the facts stand ten places apart in the log. */
const stampAt = (recorded: number) => ({
  number: (recorded + 1) * 10,
  at: minute(recorded),
  by: 'system',
  name: 'test',
})

/** The documents that facts make in a view, null for a deleted one. */
function documents<Doc>(view: Projection<Doc>, events: ReturnType<typeof recordedEvents>): Record<string, Doc | null> {
  const stored = new Map<string, Document | null>()
  for (const event of events) {
    const id = view.documentIdOf(event)
    const document = id === undefined ? undefined : view.apply(stored.get(id), event)
    if (id !== undefined && document !== undefined) stored.set(id, document)
  }
  return Object.fromEntries(
    [...stored].map(([id, document]) => [id, document && view.validate(structuredClone(document))]),
  )
}

const pendingAccount = {
  id: '',
  open: false,
  status: 'pending',
  phase: null,
  platform: null,
  balance: 0,
  profitLoss: 0,
  login: null,
  server: null,
  masterPassword: null,
  payoutEnabled: false,
  dailyDrawdownLimit: null,
  overallLossLimit: null,
  profitTarget: null,
  openedAt: null,
  programme: null,
  statusStamp: null,
  phaseStamp: null,
  limitStamps: { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null },
  payoutsStamp: null,
  termsStamp: null,
}

const approvedAmount = {
  amount: toCents(25_000),
  notes: '',
  traderReceives: toCents(25_000),
  firmKeeps: toCents(0),
}

describe('users', () => {
  it('shows a new user with a pending account, even before the account was opened', () => {
    expect(documents(users, recordedEvents(user(registered)))[anna]).toEqual({
      id: anna,
      fullName: 'Anna Smith',
      email: 'anna@example.com',
      country: 'uk',
      city: 'London',
      street: 'Baker Street',
      houseNumber: '221b',
      emailConfirmed: false,
      privacyPolicyAgreed: true,
      banned: false,
      banReason: null,
      banStamp: null,
      createdAt: minute(0),
      mutedNotices: [],
      noticesSeenUpTo: 0,
      quoted: '',
      accounts: [],
      account: pendingAccount,
      enrolments: [],
      logins: '',
    })
  })

  it('shows a user whom an administrator created, who has agreed to nothing yet', () => {
    expect(documents(users, recordedEvents(user(created)))[anna]).toMatchObject({
      fullName: 'Anna Smith',
      privacyPolicyAgreed: false,
    })
  })

  it('changes only the fields of the profile that did change', () => {
    const changed = {
      fields: ['email' as const, 'city' as const],
      from: {},
      to: { email: 'a@new.example', city: 'Leeds' },
      emailClaim: null,
    }
    const found = documents(users, recordedEvents(user(registered), user({ type: 'ProfileChanged', data: changed })))[
      anna
    ]
    expect(found).toMatchObject({
      fullName: 'Anna Smith',
      email: 'a@new.example',
      city: 'Leeds',
      street: 'Baker Street',
    })
  })

  it('shows a ban with its newest reason, and none after it was lifted', () => {
    const banned = user({ type: 'UserBanned', data: { reason: 'fraud', from: null } })
    const again = user({ type: 'UserBanned', data: { reason: 'proven fraud', from: 'fraud' } })
    const unbanned = user({ type: 'UserUnbanned', data: { from: 'proven fraud' } })
    expect(documents(users, recordedEvents(user(registered), banned, again))[anna]).toMatchObject({
      banned: true,
      banReason: 'proven fraud',
    })
    expect(documents(users, recordedEvents(user(registered), banned, again, unbanned))[anna]).toMatchObject({
      banned: false,
      banReason: null,
    })
  })

  it('shows the whole account, money in cents', () => {
    const events = recordedEvents(
      user(registered),
      account(opened),
      account(statusChanged('pending', 'under-review', { reason: 'Trades of two accounts are alike' })),
      account({ type: 'BalanceChanged', data: { from: toCents(0), to: toCents(1_000_050), kind: 'deposit' } }),
      account({ type: 'ProfitLossChanged', data: { from: toCents(0), to: toCents(-250) } }),
      account({ type: 'PhaseChanged', data: { from: null, to: 'Phase 1' } }),
      account({
        type: 'RiskLimitsChanged',
        data: {
          from: { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null },
          to: { dailyDrawdownLimit: '5%', overallLossLimit: '10%', profitTarget: '1000' },
          reason: 'As agreed',
        },
      }),
      account({ type: 'PayoutsEnabled', data: {} }),
    )
    expect(documents(users, events)[anna]?.account).toEqual({
      ...pendingAccount,
      id: `${anna}-a1`,
      open: true,
      status: 'under-review',
      balance: 1_000_050,
      profitLoss: -250,
      phase: 'Phase 1',
      dailyDrawdownLimit: '5%',
      overallLossLimit: '10%',
      profitTarget: '1000',
      payoutEnabled: true,
      openedAt: minute(1),
      statusStamp: {
        ...stampAt(2),
        ...{ reason: 'Trades of two accounts are alike', evidence: null, corrects: null, decision: null },
      },
      phaseStamp: stampAt(5),
      limitStamps: {
        dailyDrawdownLimit: { ...stampAt(6), reason: 'As agreed' },
        overallLossLimit: { ...stampAt(6), reason: 'As agreed' },
        profitTarget: { ...stampAt(6), reason: 'As agreed' },
      },
      payoutsStamp: stampAt(7),
      termsStamp: null,
    })
  })

  it('shows why an account is breached, and that a correction of it names its fact', () => {
    const evidence = { rule: 'overall-loss' as const, limit: '10%', value: '-10.4%', occurredAt: minute(0) }
    const breached = account(statusChanged('pending', 'breached', { reason: 'Lost too much', evidence }))
    const corrected = account(
      statusChanged('breached', 'active', { reason: 'A wrong price', corrects: { revision: 1, number: 30 } }),
    )
    const before = [user(registered), account(opened), breached]
    expect(documents(users, recordedEvents(...before))[anna]?.account.statusStamp).toEqual({
      ...stampAt(2),
      reason: 'Lost too much',
      evidence,
      corrects: null,
      decision: null,
    })
    expect(documents(users, recordedEvents(...before, corrected))[anna]?.account.statusStamp).toEqual({
      ...stampAt(3),
      reason: 'A wrong price',
      evidence: null,
      corrects: 30,
      decision: null,
    })
  })

  it('ends eligibility with PayoutsDisabled and with the closing of the account', () => {
    const enabled = [user(registered), account(opened), account({ type: 'PayoutsEnabled', data: {} })]
    const disabled = recordedEvents(...enabled, account({ type: 'PayoutsDisabled', data: {} }))
    const closed = recordedEvents(...enabled, account(accountClosed('pending')))
    expect(documents(users, disabled)[anna]?.account.payoutEnabled).toBe(false)
    expect(documents(users, closed)[anna]?.account).toMatchObject({ payoutEnabled: false, masterPassword: null })
  })

  it('keeps the master password encrypted, to be opened only with the key of its person', () => {
    const found = documents(users, recordedEvents(user(registered), account(opened), assigned))[anna]
    expect(found?.account).toMatchObject({ login: '501', server: 'MT5-Live' })
    expect(JSON.stringify(found)).not.toContain('s3cret')
    const { eventId, sealed } = found?.account.masterPassword ?? { eventId: '', sealed: '' }
    expect(decryptPersonalFields(definitions.PlatformLoginAssigned, eventId, sealed, testKey(anna))).toEqual({
      masterPassword: 's3cret',
    })
    expect(() => decryptPersonalFields(definitions.PlatformLoginAssigned, eventId, sealed, testKey(ben))).toThrow()
  })

  it('shows what is not mailed and which notices were seen, which a stream of its own records', () => {
    const chosen = user({ type: 'NoticesChosen', data: { from: [], to: ['phase'] } })
    const seen = [`notices-${anna}`, { type: 'NoticesSeen', data: { upTo: 42 } }] as const
    expect(documents(users, recordedEvents(user(registered), chosen, seen))[anna]).toMatchObject({
      mutedNotices: ['phase'],
      noticesSeenUpTo: 42,
    })
  })

  it('leaves a deleted user deleted after later events', () => {
    const deleted = user({ type: 'UserDeleted', data: { banned: false } })
    const closed = account(accountClosed('pending'))
    expect(documents(users, recordedEvents(user(registered), account(opened), deleted, closed))).toEqual({
      [anna]: null,
    })
  })

  it('refuses to change a user who does not exist', () => {
    expect(() => documents(users, recordedEvents(account(opened)))).toThrow('there is no document to change')
  })
})

describe('payouts', () => {
  it('shows a request as pending, its details encrypted', () => {
    const found = documents(payouts, recordedEvents(account(requested(p1, 250))))[p1]
    expect(found).toMatchObject({
      id: p1,
      userId: anna,
      amount: 25_000,
      method: 'paypal',
      status: 'pending',
      notes: null,
      requestedAt: minute(0),
      decidedAt: null,
    })
    expect(JSON.stringify(found)).not.toContain('anna@paypal.example')
    const { eventId, sealed } = found?.details ?? { eventId: '', sealed: '' }
    expect(decryptPersonalFields(definitions.PayoutRequested, eventId, sealed, testKey(anna))).toEqual({
      details: 'anna@paypal.example',
      destination: null,
    })
  })

  it('shows the newest verdict with its notes; empty notes are none', () => {
    const rejected = account({
      type: 'PayoutRejected',
      data: { payoutId: p1, from: 'pending', amount: toCents(25_000), notes: 'documents missing' },
    })
    const approved = account({
      type: 'PayoutApproved',
      data: { payoutId: p1, from: 'rejected', ...approvedAmount },
    })
    const request = account(requested(p1, 250))
    expect(documents(payouts, recordedEvents(request, rejected))[p1]).toMatchObject({
      status: 'rejected',
      notes: 'documents missing',
      decidedAt: minute(1),
    })
    expect(documents(payouts, recordedEvents(request, rejected, approved))[p1]).toMatchObject({
      status: 'approved',
      notes: null,
      decidedAt: minute(2),
    })
  })
})

describe('certificates', () => {
  it('shows what is needed to list and to download, the name encrypted', () => {
    const issued = account({
      type: 'CertificateIssued',
      data: {
        certificateId: c1,
        name: 'Phase 1, Anna Smith',
        issuedAt: '2026-01-05',
        file: 'f/1',
        size: 1234,
        sha256: 'ab',
      },
    })
    const found = documents(certificates, recordedEvents(issued))[c1]
    expect(found).toMatchObject({
      id: c1,
      userId: anna,
      file: 'f/1',
      size: 1234,
      issuedAt: '2026-01-05',
      uploadedAt: minute(0),
    })
    expect(JSON.stringify(found)).not.toContain('Anna Smith')
    const { eventId, sealed } = found?.name ?? { eventId: '', sealed: '' }
    expect(decryptPersonalFields(definitions.CertificateIssued, eventId, sealed, testKey(anna))).toEqual({
      name: 'Phase 1, Anna Smith',
    })
  })
})

describe('balance changes', () => {
  it('say what an event changed, and leave open what it did not', () => {
    const balance = account({ type: 'BalanceChanged', data: { from: toCents(0), to: toCents(100), kind: 'deposit' } })
    const profit = account({ type: 'ProfitLossChanged', data: { from: toCents(0), to: toCents(-5) } })
    const none = {
      accountId: `${anna}-a1`,
      balance: null,
      profitLoss: null,
      entry: null,
      beginsPhase: false,
    }
    const found = documents(
      balanceChanges,
      recordedEvents(account(opened), account({ type: 'PayoutsEnabled', data: {} }), balance, profit),
    )
    expect(Object.values(found)).toEqual([
      { ...none, number: 10, at: minute(0), balance: 0, profitLoss: 0 },
      {
        ...none,
        number: 30,
        at: minute(2),
        balance: 100,
        entry: { booking: null, kind: 'deposit', amount: 100, payoutId: null },
      },
      { ...none, number: 40, at: minute(3), profitLoss: -5 },
    ])
  })
})

describe('decisions', () => {
  const issued = account({
    type: 'CertificateIssued',
    data: {
      certificateId: c1,
      name: 'Phase 1, Anna Smith',
      issuedAt: '2026-01-05',
      file: 'f/1',
      size: 1234,
      sha256: 'ab',
    },
  })

  it('say what is marked on the curve and what the bell shows, personal fields encrypted', () => {
    const banned = user({ type: 'UserBanned', data: { reason: 'fraud', from: null } })
    const found = documents(decisions, recordedEvents(account(opened), account(requested(p1, 250)), issued, banned))
    expect(Object.values(found).map((each) => [each?.label, each?.stream, each?.reason, each?.bellOf])).toEqual([
      ['Account opened', 'account', null, null],
      ['Payout requested: $250.00', 'account', null, null],
      ['Certificate issued', 'account', null, anna],
      ['Banned', 'user', 'fraud', null],
    ])
    expect(JSON.stringify(found)).not.toMatch(/Anna Smith|anna@paypal/)
    const { eventId, sealed } = found['30']?.notice?.certificateName ?? { eventId: '', sealed: '' }
    expect(decryptPersonalFields(definitions.CertificateIssued, eventId, sealed, testKey(anna))).toEqual({
      name: 'Phase 1, Anna Smith',
    })
  })

  it('hide the personal fields that events of the bell have', () => {
    const withPersonalFields = Object.entries<EventDescription<never>>(eventDescriptions).flatMap(
      ([type, { notice }]) => {
        const personal = Object.entries(definitions).flatMap(([each, definition]) =>
          each === type ? [...definition.personal.keys()] : [],
        )
        return notice !== undefined && personal.length > 0 ? [{ type, personal }] : []
      },
    )
    expect(withPersonalFields).toEqual([
      { type: 'PlatformLoginAssigned', personal: ['masterPassword'] },
      { type: 'CertificateIssued', personal: ['name'] },
    ])
    const found = documents(decisions, recordedEvents(account(opened), assigned))
    expect(JSON.stringify(found)).toContain('501')
    expect(JSON.stringify(found)).not.toContain('s3cret')
  })
})

describe('firm', () => {
  const counts = (...events: (readonly [string, AnyEvent])[]) => documents(firm, recordedEvents(...events))[FIRM]

  it('counts users until they are deleted, and open accounts', () => {
    const second = [`account-${anna}-a2`, { type: 'AccountOpened', data: { accountId: accountIdOf(anna, 2) } }] as const
    expect(counts(user(registered), account(opened), second)).toMatchObject({ users: { total: 1 }, accounts: 2 })
    const deleted = user({ type: 'UserDeleted', data: { banned: false } })
    const closed = [account(accountClosed('active')), [`account-${anna}-a2`, accountClosed('pending')] as const]
    expect(counts(user(registered), account(opened), second, deleted, ...closed)).toMatchObject({
      users: { total: 0 },
      accounts: 0,
    })
  })

  it('no longer counts an account that staff closed, and counts it once', () => {
    const byStaff: AnyEvent = {
      type: 'AccountClosed',
      data: { status: 'active', reason: 'Passed', wasOpen: true, cause: 'staff', loginClaim: null },
    }
    const erased: AnyEvent = { ...byStaff, data: { ...byStaff.data, wasOpen: false, cause: 'deletion' } }
    expect(counts(account(opened), account(byStaff), account(erased))?.accounts).toBe(0)
  })

  it('counts a banned user once, however often the reason changes, until unbanned or deleted', () => {
    const banned = user({ type: 'UserBanned', data: { reason: 'a', from: null } })
    const again = user({ type: 'UserBanned', data: { reason: 'b', from: 'a' } })
    expect(counts(banned, again)?.users.banned).toBe(1)
    expect(counts(banned, again, user({ type: 'UserUnbanned', data: { from: 'b' } }))?.users.banned).toBe(0)
    expect(counts(banned, user({ type: 'UserDeleted', data: { banned: true } }))?.users.banned).toBe(0)
    expect(counts(user({ type: 'UserDeleted', data: { banned: false } }))?.users.banned).toBe(0)
  })

  it('counts and sums payouts by status', () => {
    const approved = account({
      type: 'PayoutApproved',
      data: { payoutId: p1, from: 'pending', ...approvedAmount },
    })
    const rejected = account({
      type: 'PayoutRejected',
      data: { payoutId: p1, from: 'approved', amount: toCents(25_000), notes: 'x', traderReceives: toCents(25_000) },
    })
    const both = [account(requested(p1, 250)), account(requested(p2, 100))]
    expect(counts(...both)?.payouts).toMatchObject({ total: 2, pending: 2, pendingAmount: 35_000 })
    expect(counts(...both, approved)?.payouts).toMatchObject({
      pending: 1,
      pendingAmount: 10_000,
      approved: 1,
      approvedAmount: 25_000,
      unpaid: 1,
      unpaidAmount: 25_000,
    })
    expect(counts(...both, approved, rejected)?.payouts).toEqual({
      total: 2,
      pending: 1,
      approved: 0,
      rejected: 1,
      withdrawn: 0,
      pendingAmount: 10_000,
      approvedAmount: 0,
      rejectedAmount: 25_000,
      withdrawnAmount: 0,
      unpaid: 0,
      unpaidAmount: 0,
    })
  })
})

describe('firm days', () => {
  const today = utcDay(firstEventAt)

  it('count new accounts, and sum what was approved, by day in UTC', () => {
    const approved = account({
      type: 'PayoutApproved',
      data: { payoutId: p1, from: 'pending', ...approvedAmount },
    })
    const rejected = (from: 'pending' | 'approved') =>
      account({ type: 'PayoutRejected', data: { payoutId: p1, from, amount: toCents(25_000), notes: 'x' } })
    const day = (...events: (readonly [string, AnyEvent])[]) => documents(firmDays, recordedEvents(...events))[today]
    expect(day(account(opened), approved)).toEqual({ newAccounts: 1, approvedPayouts: 1, approvedAmount: 25_000 })
    expect(day(approved, rejected('approved'))).toEqual(emptyDay)
    expect(day(rejected('pending'))).toEqual(emptyDay)
    expect(utcDay(Date.parse('2026-03-14T23:59:59.999Z'))).toBe('2026-03-14')
  })
})

describe('admin keys', () => {
  const key = (event: AnyEvent) => ['admin-k1', event] as const
  const issued = key({
    type: 'AdminKeyIssued',
    data: { label: 'Back office', role: 'admin', keyHash: 'secret hash', expiresAt: null },
  })

  it('shows a key with its last sign-in and its revocation, never its hash', () => {
    const found = documents(
      adminKeys,
      recordedEvents(issued, key({ type: 'AdminSignedIn', data: {} }), key({ type: 'AdminKeyRevoked', data: {} })),
    )
    expect(found).toEqual({
      k1: {
        id: 'k1',
        label: 'Back office',
        role: 'admin',
        issuedAt: minute(0),
        keyIssuedAt: minute(0),
        expiresAt: null,
        lastSignInAt: minute(1),
        revokedAt: minute(2),
      },
    })
  })

  it('takes no notice of refused sign-ins, not of unknown keys either', () => {
    const refused = { type: 'AdminSignInRefused', data: { why: 'unknown' } } as const
    expect(Object.keys(documents(adminKeys, recordedEvents(issued, key(refused), ['admin-unknown', refused])))).toEqual(
      ['k1'],
    )
  })
})

it('has views with different names', () => {
  expect(new Set(allProjections.map(({ name }) => name)).size).toBe(allProjections.length)
})
