import { createReact, runPolicies } from '#services/portal/modules.ts'
import { Notices } from '#services/oversight/notices/notice-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOTAL_HEADER } from '#services/framework/api/headers.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { AccountHistory, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { accountIdOf, enrolmentId, payoutId, programmeId, userId } from '#services/framework/ids.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { Task } from '#services/trading/accounts/task-api.ts'
import { IssuedAccessKey } from '#services/identity/staff/staff-api.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import { after, programOf, read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { Finding, FindingDetails } from '../finding-api.ts'
import { decideDue } from './time-decisions.ts'

const PROGRAMME = 'two-step-100000'
const { hash } = hashedTerms(presetTerms('two-step', 100_000))

let portal: Portal
let admin: Browser
let bridge: Browser
let logins = 60_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  bridge = await programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
})
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => accountIdOf(userId.parse(id), 1)
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
const state = (balance: string, minutesAgo = 1, equity = balance) => ({
  ...{ at: at(minutesAgo), kind: 'state', balance, equity, open: balance !== equity },
})

/** A trader of a programme whose account trades. */
async function enrolled(of: Portal = portal, staff: Browser = admin): Promise<Trader> {
  const trader = await of.trader()
  await staff.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
  await staff.patch(`/api/admin/accounts/${accountOf(trader)}`, wholeLogin(String(++logins)))
  return trader
}

const send = (trader: Trader, ...rows: readonly object[]): Promise<Answer> =>
  bridge.post('/api/feed/observations', { rows: rows.map((row) => ({ account: accountOf(trader), ...row })) })
const findingsOf = async (trader: Trader, options: Parameters<Browser['get']>[1] = {}, query = '') =>
  read(Finding.array(), await admin.get(`/api/admin/findings?account=${accountOf(trader)}${query}`, options))
const decide = (trader: Trader, verdict: 'confirm' | 'dismiss', body: object = {}, by = admin, number = 1) =>
  by.post(`/api/admin/findings/${accountOf(trader)}-f${number}/${verdict}`, body)
const eventsOf = (trader: Trader) => portal.events(`account-${accountOf(trader)}`)
const typesOf = async (trader: Trader) => (await eventsOf(trader)).map(({ type }) => type)
const statusOf = async (trader: Trader, options: Parameters<Browser['get']>[1] = {}) =>
  read(OwnAccount, await trader.get(`/api/user/account?account=${accountOf(trader)}`, options)).status

describe('a breach that the rules find', () => {
  it('is in the queue with the answer of its rows, by the system, and sets the account under review', async () => {
    const trader = await enrolled()
    const answer = await send(trader, state('100000.00', 2), state('89000.00', 1))
    expect(await findingsOf(trader, after(answer))).toMatchObject([
      {
        ...{ id: `${accountOf(trader)}-f1`, account: accountOf(trader), kind: 'breach', state: 'proposed' },
        rule: {
          index: 1,
          kind: 'daily-loss',
          text: expect.stringContaining('Daily loss: 5% of the account size ($5,000.00)'),
        },
        programme: { id: PROGRAMME, version: 1, hash, name: 'Two-Step 100K' },
        ...{ floor: '95000.00', measured: '89000.00', follows: true, userName: 'Ada Lovelace', stage: 0 },
        observations: [`${accountOf(trader)}-o1`, `${accountOf(trader)}-o2`],
      },
    ])
    expect(await statusOf(trader, after(answer))).toBe('under-review')
    const raised = (await eventsOf(trader)).slice(-2)
    expect(raised.map(({ type, metadata }) => [type, metadata.actor])).toEqual([
      ['RuleFindingRaised', { kind: 'system', label: 'rules' }],
      ['AccountStatusChanged', { kind: 'system', label: 'rules' }],
    ])
    const details = read(FindingDetails, await admin.get(`/api/admin/findings/${accountOf(trader)}-f1`))
    expect(details.evidence).toMatchObject([
      {
        ...{ observation: `${accountOf(trader)}-o1`, what: 'State', at: expect.stringMatching(/^\d{4}-.*Z$/) },
        figures: 'balance $100,000.00, equity $100,000.00',
      },
      {
        observation: `${accountOf(trader)}-o2`,
        event: Number((await eventsOf(trader)).findLast(({ type }) => type === 'ObservationsRecorded')?.position),
      },
    ])
  })

  it('leaves the queue with the account when its trader is deleted; what was decided stays', async () => {
    const [trader, decided] = [await enrolled(), await enrolled()]
    for (const each of [trader, decided]) await send(each, state('94000.00'))
    await decide(decided, 'dismiss', { reason: 'A test' })
    const queue = async (options: Parameters<Browser['get']>[1] = {}) => {
      const page = await admin.get('/api/admin/findings?state=open&limit=1', options)
      const all = read(Finding.array(), await admin.get('/api/admin/findings?state=open&limit=100'))
      return { total: Number(page.headers.get(TOTAL_HEADER)), accounts: all.map(({ account }) => account) }
    }
    const before = await queue()
    expect(before.accounts).toContain(accountOf(trader))
    for (const each of [trader, decided]) await admin.delete(`/api/admin/user/${each.id}`)
    const now = await queue(await portal.atEnd())
    expect(now.accounts).toEqual(before.accounts.filter((account) => account !== accountOf(trader)))
    expect(now.total).toBe(now.accounts.length)
    expect(await findingsOf(trader)).toEqual([])
    expect((await admin.get(`/api/admin/findings/${accountOf(trader)}-f1`)).status).toBe(404)
    expect(await findingsOf(decided)).toMatchObject([{ state: 'dismissed', userName: 'erased' }])
  })

  it('is confirmed: the account is breached with its evidence, and is to be closed on the platform', async () => {
    const trader = await enrolled()
    await send(trader, state('94000.00'))
    const confirmed = await decide(trader, 'confirm')
    expect(confirmed).toMatchObject({ status: 200, body: { state: 'confirmed' } })
    expect(await statusOf(trader, after(confirmed))).toBe('breached')
    expect(read(OwnAccount, await trader.get('/api/user/account'))).toMatchObject({
      stamps: { status: { finding: `${accountOf(trader)}-f1` } },
    })
    const last = (await eventsOf(trader)).findLast(({ type }) => type === 'AccountStatusChanged')
    const [finding] = await findingsOf(trader)
    expect(last).toMatchObject({
      data: {
        to: 'breached',
        finding: finding?.id,
        evidence: {
          ...{ rule: 'daily-drawdown', limit: '95000.00', value: '94000.00' },
          occurredAt: Date.parse(finding?.at ?? ''),
        },
      },
      metadata: { actor: { kind: 'admin' } },
    })
    const { markers } = read(AccountHistory, await trader.get('/api/user/account/history'))
    expect(markers.find(({ to }) => to === 'breached')).toMatchObject({ occurredAt: finding?.at })
    const amounts = read(FindingDetails, await admin.get(`/api/admin/findings/${accountOf(trader)}-f1`)).arithmetic
    expect(amounts.map(({ role, amount }) => [role, amount])).toEqual([
      ['start', '100000.00'],
      ['part', '-6000.00'],
      ['sum', '94000.00'],
      ['floor', '95000.00'],
      ['difference', '1000.00'],
    ])
    expect(read(Standing, await trader.get('/api/user/account/standing')).arithmetic).toEqual(amounts)
    await portal.mailed()
    const mails = (await portal.mails(trader.email)).map(({ text }) => text)
    const computed =
      /^Balance at the start of .+: \$100,000\.00\n.+: -\$6,000\.00\nBalance: \$94,000\.00\n.+\nBelow the floor by: \$1,000\.00$/m
    // Of the review, and of the breach.
    expect(mails.filter((text) => computed.test(text ?? ''))).toHaveLength(2)
    const tasks = read(Task.array(), await admin.get('/api/admin/tasks', after(confirmed)))
    expect(tasks.filter(({ account }) => account === accountOf(trader))).toMatchObject([{ kind: 'close-on-platform' }])
    expect((await decide(trader, 'confirm')).status).toBe(409)
    expect((await decide(trader, 'dismiss', { reason: 'No' })).status).toBe(409)
  })

  it('is dismissed with a reason: the status before comes back, and the limit is shown as warned', async () => {
    const trader = await enrolled()
    await send(trader, state('100000.00', 1, '94000.00'))
    expect((await decide(trader, 'dismiss')).status).toBe(400)
    expect((await decide(trader, 'dismiss', { reason: ' ' })).status).toBe(400)
    const dismissed = await decide(trader, 'dismiss', { reason: 'A wrong price' })
    expect(dismissed).toMatchObject({ status: 200, body: { state: 'dismissed' } })
    expect(await statusOf(trader, after(dismissed))).toBe('active')
    expect(await findingsOf(trader)).toMatchObject([{ state: 'dismissed', reason: 'A wrong price' }])
    const standing = read(Standing, await admin.get(`/api/admin/accounts/${accountOf(trader)}/standing`))
    expect(standing).toMatchObject({ status: 'in-progress', cause: null })
    expect(standing.rules.map(({ kind, state: each }) => [kind, each])).toContainEqual(['daily-loss', 'warned'])
    expect((await decide(trader, 'confirm')).status).toBe(409)
  })

  it('is decided by administrators and support, and seen by all staff', async () => {
    const trader = await enrolled()
    await send(trader, state('94000.00'))
    for (const role of ['payouts', 'auditor'] as const) {
      const member = await portal.member(role)
      expect((await member.get('/api/admin/findings')).status).toBe(200)
      expect((await decide(trader, 'confirm', {}, member)).status).toBe(403)
    }
    expect((await trader.get('/api/admin/findings')).status).toBe(401)
    expect((await admin.post('/api/admin/findings/nobody00-a1-f1/confirm', {})).status).toBe(404)
    expect((await admin.post('/api/admin/findings/else/confirm', {})).status).toBe(404)
    expect((await decide(trader, 'confirm', {}, await portal.member('support'))).status).toBe(200)
  })

  it('is confirmed once by forty at the same time', async () => {
    const trader = await enrolled()
    await send(trader, state('94000.00'))
    const answers = await Promise.all(Array.from({ length: 40 }, () => decide(trader, 'confirm')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(39)
    expect((await typesOf(trader)).filter((type) => type === 'BreachConfirmed')).toHaveLength(1)
  })

  it('is raised by the worker where the process died after its observations', async () => {
    const trader = await enrolled()
    const row = observation.parse(state('94000.00'))
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(accountOf(trader), systemContext('test', 'test'), (before) => [
        ...recordObservations(before, [row], 'feed').events,
      ])
    await until(async () => (await typesOf(trader)).includes('RuleFindingRaised'), 'the finding')
    expect((await typesOf(trader)).slice(-2)).toEqual(['RuleFindingRaised', 'AccountStatusChanged'])
  })

  it('is reopened by a correction, and decided again', async () => {
    const trader = await enrolled()
    await send(trader, state('94000.00', 1))
    await decide(trader, 'confirm')
    const path = `/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o1/correction`
    const corrected = await admin.post(path, { observation: null, reason: 'Of another account' })
    expect(corrected.status).toBe(200)
    expect(await findingsOf(trader, after(corrected), '&state=open')).toMatchObject([
      { state: 'reopened', follows: false },
    ])
    expect(await statusOf(trader)).toBe('breached')
    const dismissed = await decide(trader, 'dismiss', { reason: 'The balance was of another account' })
    expect(await statusOf(trader, after(dismissed))).toBe('active')
    const breach = (await eventsOf(trader)).find(({ data }) => 'to' in data && data.to === 'breached')
    expect((await eventsOf(trader)).at(-1)).toMatchObject({ data: { corrects: { number: Number(breach?.position) } } })
  })

  it.each([
    ['released', false, null],
    ['held by the ban of a trader who is banned', true, 'The trader was banned.'],
  ])('once dismissed, leaves the payouts that it held %s', async (_, isBanned, hold) => {
    const trader = await enrolled()
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(accountOf(trader), systemContext('test', 'test'), () => [
        {
          type: 'PayoutRequested',
          data: {
            ...{ payoutId: payoutId.parse(`${accountOf(trader)}-p1`), amount: toCents(100_00), method: 'paypal' },
            ...{ details: 'ada@example.com', destination: null, idempotency: null },
          },
        },
      ])
    await send(trader, state('94000.00', 1))
    await decide(trader, 'confirm')
    if (isBanned) await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Copy trading' })
    const path = `/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o1/correction`
    await admin.post(path, { observation: null, reason: 'Of another account' })
    expect((await decide(trader, 'dismiss', { reason: 'Of another account' })).status).toBe(200)
    const holds = (await eventsOf(trader)).filter(({ type }) => type === 'PayoutHoldChanged')
    expect(holds.map(({ data }) => data)).toMatchObject([
      { from: null, to: 'The account was breached.' },
      { from: 'The account was breached.', to: hold },
    ])
  })

  it('is listed in pages, the newest first, by state and kind', async () => {
    const trader = await enrolled()
    await send(trader, state('94000.00', 3))
    await decide(trader, 'dismiss', { reason: 'A wrong price' })
    await send(trader, state('94500.00', 2))
    expect((await findingsOf(trader, await portal.atEnd())).map(({ state: each }) => each)).toEqual([
      'proposed',
      'dismissed',
    ])
    expect(await findingsOf(trader, {}, '&state=dismissed')).toHaveLength(1)
    expect(await findingsOf(trader, {}, '&kind=pass')).toEqual([])
    const page = await admin.get(`/api/admin/findings?account=${accountOf(trader)}&limit=1`)
    expect(page.headers.get(TOTAL_HEADER)).toBe('2')
    const next = /<(.*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect(read(Finding.array(), await admin.get(next))).toMatchObject([{ id: `${accountOf(trader)}-f1` }])
    expect((await admin.get('/api/admin/findings?state=other')).status).toBe(400)
  })
})

describe('a breach by a person', () => {
  it('of an account under a programme is allowed, and marked as their decision', async () => {
    const trader = await enrolled()
    const evidence = { rule: 'other', limit: 'No copied trades', value: 'Alike in 12 trades', occurredAt: at(1) }
    const breached = await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, {
      ...{ status: 'breached', reason: 'Two accounts traded alike', evidence },
    })
    const account = read(OwnAccount, await trader.get('/api/user/account', after(breached)))
    expect(account).toMatchObject({ status: 'breached', stamps: { status: { by: 'admin', finding: null } } })
    expect(await findingsOf(trader)).toEqual([])
  })
})

describe('a stage that the rules find passed', () => {
  it('is confirmed: its account closes, and that of the next stage begins', async () => {
    const trader = await enrolled()
    const day = 24 * 60
    const trades = [5, 4, 3, 2, 1].map((ago) => ({
      ...{
        at: at(ago * day),
        kind: 'trade',
        id: `T${ago}`,
        openedAt: at(ago * day),
        profit: '2000.00',
        volume: '1.00',
      },
    }))
    const answer = await send(trader, ...trades)
    expect(await findingsOf(trader, after(answer))).toMatchObject([
      { kind: 'pass', state: 'proposed', rule: { kind: 'profit-target' }, floor: '108000.00' },
    ])
    expect(await statusOf(trader)).toBe('active')
    const confirmed = await decide(trader, 'confirm')
    expect(confirmed.body).toEqual({ state: 'confirmed' })
    expect(read(OwnAccount, await trader.get('/api/user/account', after(confirmed)))).toMatchObject({
      ...{ id: `${trader.id}-a2`, phase: 'Phase 2' },
    })
    expect((await typesOf(trader)).slice(-3)).toEqual(['PassConfirmed', 'StagePassed', 'AccountClosed'])
  })
})

describe('what time alone decides', () => {
  it('is found for the accounts whose moment has come, and for no other', async () => {
    const trader = await portal.trader()
    const { repositories, readModelStore, log } = portal.running.parts
    const preset = presetTerms('two-step', 100_000)
    const terms = {
      ...preset,
      stages: preset.stages.map((stage) => ({
        ...stage,
        rules: [...stage.rules, { kind: 'inactivity' as const, days: 2, consequence: 'breach' as const }],
      })),
    }
    await repositories.of(accountStreams).decide(accountOf(trader), systemContext('test', 'test'), ({ account }) =>
      beginStageIn(account, accountOf(trader), {
        enrolmentId: enrolmentId.parse(`${trader.id}-e1`),
        programme: programmeId.parse('with-inactivity'),
        ...{ version: 1, hash: 'f'.repeat(64), stage: 0, terms },
      }),
    )
    await send(trader, state('100000.00'))
    const moved = (await eventsOf(trader)).findLast(({ type }) => type === 'TimeDecisionMoved')
    const moment = moved?.type === 'TimeDecisionMoved' ? (moved.data.to ?? 0) : 0
    expect(moment).toBeGreaterThan(Date.now())
    await portal.atEnd()
    const react = createReact(portal.running.parts.policyDependencies)
    const readModels = createReadModels(readModelStore)
    const decideAt = (now: number) =>
      decideDue({ repositories, react, readModels, now: () => now, log }, new AbortController().signal)
    await until(async () => {
      await decideAt(moment - 1)
      return (await admin.get('/api/admin/findings', await portal.atEnd())).status === 200
    }, 'the read models')
    expect(await typesOf(trader)).not.toContain('RuleFindingRaised')
    await decideAt(moment)
    await decideAt(moment)
    expect((await typesOf(trader)).slice(-2)).toEqual(['RuleFindingRaised', 'TimeDecisionMoved'])
    expect(await findingsOf(trader, await portal.atEnd())).toMatchObject([
      { rule: { kind: 'inactivity' }, at: new Date(moment).toISOString(), floor: null, measured: null },
    ])
  })
})

describe('a limit that is close', () => {
  const subject = 'Daily loss: you are close to the limit'

  it('is mailed with its figures and rings once a day, however often its policies run', async () => {
    const [trader, muted] = [await enrolled(), await enrolled()]
    await muted.patch('/api/user/notices', { muted: ['near-limits'] })
    for (const each of [trader, muted]) {
      // Of this moment, so that the day does not end before they are looked at.
      expect((await send(each, state('95600.00', 0))).status).toBe(200)
      await send(each, state('95500.00', 0))
    }
    for (const event of await eventsOf(trader)) await runPolicies(event, portal.running.parts.policyDependencies)
    const types = await typesOf(trader)
    expect(types.filter((type) => type === 'LimitNeared')).toHaveLength(1)
    expect((await eventsOf(trader)).find(({ type }) => type === 'LimitNeared')).toMatchObject({
      data: { rule: { index: 1, kind: 'daily-loss' }, limit: 500_000, floor: 9_500_000, room: 60_000 },
      metadata: { actor: { kind: 'system', label: 'rules' } },
    })
    const { entries } = read(Notices, await trader.get('/api/user/notices', await portal.atEnd()))
    expect(entries.filter(({ type }) => type === 'LimitNeared')).toMatchObject([
      {
        changes: [
          { field: 'nearLimit.rule', to: 'daily-loss' },
          { field: 'nearLimit.limit', to: '5000.00' },
          { field: 'nearLimit.floor', to: '95000.00' },
          { field: 'nearLimit.room', to: '600.00' },
        ],
      },
    ])
    await portal.mailed()
    const mails = (await portal.mails(trader.email)).filter((mail) => mail.subject === subject)
    expect(mails.map(({ text }) => text)).toEqual([expect.stringMatching(/\$5,000\.00[^]*\$95,000\.00[^]*\$600\.00/)])
    expect(await typesOf(muted)).toContain('LimitNeared')
    expect((await portal.mails(muted.email)).map((mail) => mail.subject)).not.toContain(subject)
  })

  it('warns nobody of a day that is over', async () => {
    const trader = await enrolled()
    await send(trader, state('100000.00', 60 * 24 * 3), state('95600.00', 60 * 24 * 2))
    expect(await typesOf(trader)).not.toContain('LimitNeared')
  })
})

describe('with SECOND_CONFIRMATION=breaches', () => {
  it('a breach is confirmed by two members, and the first changes nothing', async () => {
    const careful = await openPortal({ environment: { SECOND_CONFIRMATION: 'breaches,batches' } })
    try {
      const [staff, one, other] = [
        await careful.admin(),
        await careful.member('admin'),
        await careful.member('support'),
      ]
      const trader = await enrolled(careful, staff)
      await staff.patch(`/api/admin/accounts/${accountOf(trader)}`, { balance: '94000.00' })
      const first = await decide(trader, 'confirm', {}, one)
      expect(first).toMatchObject({ status: 200, body: { state: 'proposed' } })
      expect(await statusOf(trader, after(first))).toBe('under-review')
      expect((await decide(trader, 'confirm', {}, one)).status).toBe(409)
      const [listed] = read(Finding.array(), await one.get('/api/admin/findings', after(first)))
      expect(listed).toMatchObject({ state: 'proposed', firstConfirmation: { by: 'admin', member: one.id } })
      const second = await decide(trader, 'confirm', {}, other)
      expect(second).toMatchObject({ status: 200, body: { state: 'confirmed' } })
      expect(await statusOf(trader, after(second))).toBe('breached')
    } finally {
      await careful.stop()
    }
  })

  it('nobody confirms what rests on their own balance, import or correction, which the page says', async () => {
    const careful = await openPortal({ environment: { SECOND_CONFIRMATION: 'breaches' } })
    try {
      const [staff, one, other] = [
        await careful.admin(),
        await careful.member('admin', { name: 'Kim' }),
        await careful.member('support'),
      ]
      const typed = await enrolled(careful, staff)
      await one.patch(`/api/admin/accounts/${accountOf(typed)}`, { balance: '94000.00' })
      const corrected = await enrolled(careful, staff)
      const rows = await programOf(careful, staff, { name: 'Bridge', scopes: ['feed'] })
      await rows.post('/api/feed/observations', { rows: [{ account: accountOf(corrected), ...state('101000.00') }] })
      const correct = (trader: Trader, number: number, to: object) =>
        one.post(`/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o${number}/correction`, {
          ...{ observation: to, reason: 'A wrong price' },
        })
      expect((await correct(corrected, 1, state('94000.00'))).status).toBe(200)
      const before = await enrolled(careful, staff)
      await one.patch(`/api/admin/accounts/${accountOf(before)}`, { balance: '99000.00' })
      await rows.post('/api/feed/observations', {
        rows: [{ account: accountOf(before), ...state('94000.00', 0) }],
      })
      for (const [trader, how] of [
        [typed, 'typed'],
        [corrected, 'corrected'],
        [before, 'typed'],
      ] as const) {
        const page = read(
          FindingDetails,
          await one.get(`/api/admin/findings/${accountOf(trader)}-f1`, await careful.atEnd()),
        )
        expect(page).toMatchObject({ needsAnother: true, hands: [{ how, member: one.id, name: 'Kim' }] })
        expect(await decide(trader, 'confirm', {}, one)).toMatchObject({
          status: 409,
          body: { message: expect.stringContaining(`rests on what you ${how} in entry #`) },
        })
        expect(await decide(trader, 'confirm', {}, other)).toMatchObject({ body: { state: 'proposed' } })
        expect(await decide(trader, 'confirm', {}, staff)).toMatchObject({ body: { state: 'confirmed' } })
      }
      // Upwards a correction would make a funded account.
      const passed = await enrolled(careful, staff)
      const trade = (ago: number, profit: string) => {
        const when = at(ago * 24 * 60)
        return { ...{ at: when, kind: 'trade', id: `T${ago}`, openedAt: when }, profit, volume: '1.00' }
      }
      const trades = [5, 4, 3, 2, 1].map((ago) => ({ account: accountOf(passed), ...trade(ago, '1000.00') }))
      await rows.post('/api/feed/observations', { rows: trades })
      expect((await correct(passed, 1, trade(5, '6000.00'))).status).toBe(200)
      expect((await decide(passed, 'confirm', {}, one)).status).toBe(409)
      expect(await decide(passed, 'confirm', {}, other)).toMatchObject({ body: { state: 'confirmed' } })
    } finally {
      await careful.stop()
    }
  })

  it('a breach is not confirmed by one person with a key of their own making', async () => {
    const careful = await openPortal({ environment: { SECOND_CONFIRMATION: 'breaches' } })
    try {
      const [staff, robin] = [await careful.admin(), await careful.member('support')]
      const issuedKey = await staff.post('/api/admin/staff', { name: 'Kim', role: 'support' })
      const kim = careful.browser()
      await kim.post('/api/admin/login', { accessKey: read(IssuedAccessKey.required(), issuedKey).accessKey })
      const trader = await enrolled(careful, staff)
      const rows = await programOf(careful, staff, { name: 'Bridge', scopes: ['feed'] })
      await rows.post('/api/feed/observations', { rows: [{ account: accountOf(trader), ...state('94000.00') }] })
      expect(await decide(trader, 'confirm', {}, staff)).toMatchObject({ status: 200, body: { state: 'proposed' } })
      expect((await decide(trader, 'confirm', {}, kim)).status).toBe(409)
      expect(await decide(trader, 'confirm', {}, robin)).toMatchObject({ body: { state: 'confirmed' } })
    } finally {
      await careful.stop()
    }
  })

  it('the first confirmation does not count any more once its member is gone', async () => {
    const careful = await openPortal({ environment: { SECOND_CONFIRMATION: 'breaches' } })
    try {
      const [staff, one] = [await careful.admin(), await careful.member('support')]
      const trader = await enrolled(careful, staff)
      await staff.patch(`/api/admin/accounts/${accountOf(trader)}`, { balance: '94000.00' })
      await decide(trader, 'confirm', {}, one)
      const revoked = await staff.delete(`/api/admin/staff/${one.id}`)
      expect(revoked.status).toBe(200)
      const [listed] = read(Finding.array(), await staff.get('/api/admin/findings', after(revoked)))
      expect(listed).toMatchObject({ state: 'proposed', firstConfirmation: null })
    } finally {
      await careful.stop()
    }
  })
})

describe('a verdict on a finding names what the page showed', () => {
  const NEVER = expect.stringMatching(/^The page showed something that was never recorded, so nothing was decided\./)
  const CHANGED = 'What the page showed has changed meanwhile. Look at it again before you decide.'

  /** What the page shows of the first finding of a trader, as its dialog names it. */
  async function seen(trader: Trader) {
    const id = `${accountOf(trader)}-f1`
    const finding = read(FindingDetails, await admin.get(`/api/admin/findings/${id}`, await portal.atEnd()))
    const { userName: name, kind, rule, floor, measured, at: foundAt } = finding
    const evidence = finding.evidence.map(({ event: _event, ...observed }) => observed)
    return { name, kind, rule: rule.kind, floor, measured, at: foundAt, evidence }
  }

  async function breached(): Promise<Trader> {
    const trader = await enrolled()
    await send(trader, state('100000.00', 2), state('89000.00', 1))
    return trader
  }

  it('and is given where the log says the same, with or without the observations', async () => {
    const [whole, short] = [await breached(), await breached()]
    expect((await decide(whole, 'confirm', { seen: await seen(whole) })).status).toBe(200)
    const { evidence: _, ...shown } = await seen(short)
    expect((await decide(short, 'dismiss', { reason: 'A wrong row', seen: shown })).status).toBe(200)
  })

  it.each([
    ['the figures', { measured: '94999.00' }],
    ['the floor', { floor: '96000.00' }],
    ['the kind', { kind: 'pass' }],
    ['the rule', { rule: 'maximum-loss' }],
    ['the time', { at: '1970-01-01T00:00:01.000Z' }],
    ['the name', { name: 'Somebody Else' }],
  ])('is refused where %s was never that', async (_, change) => {
    const trader = await breached()
    const shown = { ...(await seen(trader)), ...change }
    for (const [verdict, body] of [
      ['confirm', {}],
      ['dismiss', { reason: 'A wrong row' }],
    ] as const) {
      const answer = await decide(trader, verdict, { ...body, seen: shown })
      expect([answer.status, answer.body]).toEqual([409, { message: NEVER }])
    }
    expect((await typesOf(trader)).at(-1)).toBe('AccountStatusChanged')
  })

  it('is refused where an observation was never that', async () => {
    const trader = await breached()
    const shown = await seen(trader)
    const evidence = shown.evidence.map((each) => ({ ...each, figures: 'balance $1.00, equity $1.00' }))
    expect((await decide(trader, 'confirm', { seen: { ...shown, evidence } })).body).toEqual({ message: NEVER })
    const foreign = [{ ...shown.evidence[0], observation: `${accountOf(trader)}-o9` }]
    expect((await decide(trader, 'confirm', { seen: { ...shown, evidence: foreign } })).body).toEqual({
      message: NEVER,
    })
  })

  it('is refused without the alarm where an observation was corrected since', async () => {
    const trader = await breached()
    const shown = await seen(trader)
    const path = `/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o2/correction`
    const observation = { ...state('90000.00'), at: shown.at }
    const corrected = await admin.post(path, { observation, reason: 'The broker sent it again' })
    expect(corrected.status, corrected.text).toBe(200)
    expect((await decide(trader, 'confirm', { seen: shown })).body).toEqual({ message: CHANGED })
    expect((await decide(trader, 'confirm', { seen: await seen(trader) })).status).toBe(200)
  })
})
