import { UserDetails } from '#services/trading/traders/trader-api.ts'
import type { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ListedOwnAccount, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { Payout, PayoutContext } from '#services/payments/payouts/payout-api.ts'
import { DraftedVersion, OfferedProgramme } from '#services/programmes/programmes/programme-api.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { after, read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { EnrolmentAnswer } from '../enrolment-api.ts'
import { OwnEnrolment } from '../own-enrolment-api.ts'

const PROGRAMME = 'two-step-100000'
const terms = presetTerms('two-step', 100_000)
const { hash } = hashedTerms(terms)

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const enrol = (trader: Pick<Trader, 'id'>, programme: string = PROGRAMME): Promise<Answer> =>
  admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme })
const typesOf = async (stream: string) => (await portal.events(stream)).map(({ type }) => type)
const details = async (trader: Trader, change: Answer) =>
  read(UserDetails, await admin.get(`/api/admin/user/${trader.id}`, after(change)))
const ownAccount = async (trader: Trader, change: Answer) =>
  read(OwnAccount, await trader.get('/api/user/account', after(change)))

/** Publishes terms as a new programme. */
async function published(document: object): Promise<z.infer<typeof DraftedVersion>> {
  const draft = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms: document }))
  await admin.post(`/api/admin/programmes/${draft.id}/versions/1/what-if`)
  await admin.post(`/api/admin/programmes/${draft.id}/versions/1/publish`, { hash: draft.hash })
  return draft
}

describe('an enrolment by staff', () => {
  it('takes over the first account, on which nothing was set, and begins with the account size', async () => {
    const trader = await portal.trader()
    const answer = await enrol(trader)
    expect(answer.status).toBe(201)
    const account = `${trader.id}-a1`
    expect(read(EnrolmentAnswer, answer)).toEqual({
      ...{ id: `${trader.id}-e1`, userId: trader.id, programme: PROGRAMME, version: 1, hash },
      accounts: [{ stage: 0, account }],
    })
    expect((await portal.userEvents(trader.id)).at(-1)).toMatchObject({
      type: 'TraderEnrolled',
      data: { programme: PROGRAMME, name: 'Two-Step 100K', version: 1, hash, accepted: null, account },
      metadata: { actor: { kind: 'admin' } },
    })
    expect(await typesOf(`account-${account}`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
    expect((await portal.events(`account-${account}`)).at(-1)).toMatchObject({
      data: { enrolmentId: `${trader.id}-e1`, programme: PROGRAMME, version: 1, hash, stage: 0, terms },
    })
    expect(await ownAccount(trader, answer)).toMatchObject({
      ...{ id: account, status: 'pending', phase: 'Phase 1', balance: '100000.00', profitLoss: '0.00', payout: null },
      ...{ dailyDrawdownLimit: '5% / $5000.00', overallLossLimit: '10% / $10000.00', profitTarget: '8000.00' },
      programme: { id: PROGRAMME, version: 1, hash, enrolment: `${trader.id}-e1`, stage: 0, size: '100000.00' },
    })
    expect(read(ListedOwnAccount.array(), await trader.get('/api/user/accounts'))).toMatchObject([
      { id: account, size: '100000.00', phase: 'Phase 1', status: 'pending' },
    ])
    expect((await details(trader, answer)).enrolments).toMatchObject([
      {
        ...{ id: `${trader.id}-e1`, programme: PROGRAMME, name: 'Two-Step 100K', version: 1, hash, accepted: null },
        accounts: [{ stage: 0, account }],
      },
    ])
  })

  it('opens a new account where the first was set up, and for every further enrolment', async () => {
    const trader = await portal.trader()
    await admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'Phase 1' })
    expect(read(EnrolmentAnswer, await enrol(trader)).accounts).toEqual([{ stage: 0, account: `${trader.id}-a2` }])
    const second = await enrol(trader, 'one-step-5000')
    expect(read(EnrolmentAnswer, second)).toMatchObject({
      id: `${trader.id}-e2`,
      accounts: [{ stage: 0, account: `${trader.id}-a3` }],
    })
    expect(await typesOf(`account-${trader.id}-a3`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
    expect((await details(trader, second)).enrolments.map(({ programme }) => programme)).toEqual([
      'one-step-5000',
      PROGRAMME,
    ])
  })

  it('is refused for an unknown, a drafted and a retired programme, and for an unknown user', async () => {
    const trader = await portal.trader()
    const before = (await portal.events()).length
    expect(await enrol(trader, 'no-such')).toMatchObject({
      status: 400,
      body: { errors: { programme: 'There is no such programme' } },
    })
    expect((await enrol(trader, 'NO SUCH')).status).toBe(400)
    expect((await enrol({ id: 'nobody00' })).status).toBe(404)
    expect((await portal.events()).length).toBe(before)
    const draft = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms }))
    expect((await enrol(trader, draft.id)).status).toBe(400)
    const { id } = await published({ ...terms, name: 'Spring' })
    await admin.post(`/api/admin/programmes/${id}/versions/1/retire`)
    expect((await enrol(trader, id)).status).toBe(409)
    expect(await typesOf(`account-${trader.id}-a1`)).toEqual(['AccountOpened'])
  })

  it('is for administrators and support', async () => {
    const trader = await portal.trader()
    const path = `/api/admin/user/${trader.id}/enrolments`
    for (const role of ['payouts', 'auditor'] as const)
      expect((await (await portal.member(role)).post(path, { programme: PROGRAMME })).status).toBe(403)
    expect((await trader.post(path, { programme: PROGRAMME })).status).toBe(401)
    expect((await (await portal.member('support')).post(path, { programme: PROGRAMME })).status).toBe(201)
  })

  it('keeps its decisions when its trader is deleted, and cannot follow on it', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    expect((await admin.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
    expect(await typesOf(`account-${trader.id}-a1`)).toEqual([
      'AccountOpened',
      'BalanceChanged',
      'StageBegun',
      'AccountClosed',
    ])
    expect((await enrol(trader)).status).toBe(404)
  })
})

describe('the terms of an enrolment', () => {
  const own = async (trader: Trader, change: Answer) =>
    read(OwnEnrolment.array(), await trader.get('/api/user/enrolments', after(change)))

  it('are shown to the trader, who accepts them once', async () => {
    const trader = await portal.trader()
    const enrolled = await enrol(trader)
    const [enrolment] = await own(trader, enrolled)
    expect(enrolment).toMatchObject({
      id: `${trader.id}-e1`,
      programme: PROGRAMME,
      version: 1,
      hash,
      accepted: null,
      terms,
    })
    const path = `/api/user/enrolments/${trader.id}-e1/acceptance`
    expect(await trader.post(path, { hash: 'f'.repeat(64) })).toMatchObject({
      status: 409,
      body: { message: 'These are not the terms of your enrolment. Please read them again.' },
    })
    expect((await trader.post(path, { hash: 'all of them' })).status).toBe(400)
    const accepted = await trader.post(path, { hash })
    expect(accepted.status).toBe(200)
    expect((await trader.post(path, { hash })).status).toBe(200)
    const events = (await portal.events(`user-${trader.id}`)).filter(({ type }) => type === 'TermsAccepted')
    expect(events).toMatchObject([
      { data: { enrolmentId: `${trader.id}-e1`, hash }, metadata: { actor: { kind: 'trader', id: trader.id } } },
    ])
    const at = new Date(events[0]?.at ?? 0).toISOString()
    expect((await own(trader, accepted))[0]?.accepted).toEqual({ hash, at })
    expect((await details(trader, accepted)).enrolments).toMatchObject([{ accepted: { hash, at } }])
  })

  it('are accepted by their trader only', async () => {
    const [trader, other] = [await portal.trader(), await portal.trader()]
    await enrol(trader)
    const path = `/api/user/enrolments/${trader.id}-e1/acceptance`
    expect((await other.post(path, { hash })).status).toBe(404)
    expect((await admin.post(path, { hash })).status).toBe(401)
    expect((await portal.events(`user-${trader.id}`)).at(-1)?.type).toBe('TraderEnrolled')
  })

  it('are warned about where a payout is decided before they were accepted', async () => {
    const trader = await portal.trader()
    const { id } = await published(sampleTerms({ split: '90' }))
    const enrolled = await enrol(trader, id)
    await admin.patch(`/api/admin/accounts/${trader.id}-a1`, {
      ...{ login: '70000011', balance: '102000.00', payoutEnabled: true },
    })
    const request = { paymentMethod: 'crypto', paymentDetails: 'wallet', amount: '500.00' }
    const payout = read(Payout, await trader.post('/api/user/payouts', request))
    const warnings = async () =>
      read(PayoutContext, await admin.get(`/api/admin/payouts/${payout.id}/context`, await portal.atEnd())).warnings
    const [enrolment] = await own(trader, enrolled)
    const warning = `The trader has not accepted the terms of ${enrolment?.name} yet. Payouts do not wait for it: the dashboard asks until it is done.`
    expect(await warnings()).toContain(warning)
    await trader.post(`/api/user/enrolments/${trader.id}-e1/acceptance`, { hash: enrolment?.hash })
    expect(await warnings()).not.toContain(warning)
  })
})

describe('the terms of a programme on offer', () => {
  it('are public, with the hash that a shop names as accepted', async () => {
    const offered = await portal.browser().get(`/api/programmes/${PROGRAMME}`)
    expect(read(OfferedProgramme, offered)).toMatchObject({ id: PROGRAMME, version: 1, hash, terms })
    const draft = read(DraftedVersion, await admin.post('/api/admin/programmes', { terms }))
    expect((await portal.browser().get(`/api/programmes/${draft.id}`, await portal.atEnd())).status).toBe(404)
    expect((await portal.browser().get('/api/programmes/none')).status).toBe(404)
  })
})

describe('the account of an enrolment', () => {
  it('gets no payouts in an evaluation', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    const account = `/api/admin/accounts/${trader.id}-a1`
    expect(await admin.patch(account, { payoutEnabled: true, status: 'active' })).toMatchObject({
      status: 409,
      body: { message: 'Payouts begin with the funded stage of the programme: this account is in Phase 1' },
    })
    expect(await typesOf(`account-${trader.id}-a1`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
  })

  it('leaves to its programme what that sets, and takes unchanged values', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    const account = `/api/admin/accounts/${trader.id}-a1`
    const before = await typesOf(`account-${trader.id}-a1`)
    for (const changes of [
      { profitLoss: '1.00' },
      { dailyDrawdownLimit: '4%' },
      { overallLossLimit: null },
      { profitTarget: '9000' },
      { phase: 'Funded' },
      { terms: sampleTerms() },
    ])
      expect(await admin.patch(account, { ...changes, status: 'active' }), JSON.stringify(changes)).toMatchObject({
        status: 409,
        body: { message: "This account's programme sets it" },
      })
    const same = {
      ...{ profitLoss: '0.00', dailyDrawdownLimit: '5% / $5000.00', overallLossLimit: '10% / $10000.00' },
      ...{ profitTarget: 8000, phase: 'Phase 1', status: 'pending', balance: '100000.00', payoutEnabled: false },
    }
    expect((await admin.patch(account, same)).status).toBe(200)
    expect(await typesOf(`account-${trader.id}-a1`)).toEqual(before)
  })

  it('derives its profit from what was traded', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    const changed = await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '101250.50' })
    expect(await ownAccount(trader, changed)).toMatchObject({ balance: '101250.50', profitLoss: '1250.50' })
    expect((await portal.events(`account-${trader.id}-a1`)).at(-1)).toMatchObject({
      type: 'BalanceChanged',
      data: { from: 10_000_000, to: 10_125_050, kind: 'trade-result' },
    })
  })

  it('becomes active with the last part of its platform login, in the same change', async () => {
    const trader = await portal.trader()
    await enrol(trader)
    const path = `/api/admin/accounts/${trader.id}-a1`
    const alone = await admin.patch(path, { login: '70000001', server: 'Broker-MT5', status: 'pending' })
    expect(await ownAccount(trader, alone)).toMatchObject({ status: 'pending', login: '70000001' })
    const changed = await admin.patch(path, { ...wholeLogin('70000001'), status: 'pending' })
    expect(changed.status).toBe(200)
    expect((await portal.events(`account-${trader.id}-a1`)).slice(-2)).toMatchObject([
      { type: 'PlatformLoginAssigned' },
      { type: 'AccountStatusChanged', data: { from: 'pending', to: 'active' } },
    ])
    expect(await ownAccount(trader, changed)).toMatchObject({ status: 'active', login: '70000001' })
  })

  it('pays out by the funded stage of its version', async () => {
    const trader = await portal.trader()
    const { id } = await published(sampleTerms({ split: '90' }))
    await enrol(trader, id)
    const account = `/api/admin/accounts/${trader.id}-a1`
    const changed = await admin.patch(account, { login: '70000002', balance: '102000.00', payoutEnabled: true })
    expect((await ownAccount(trader, changed)).payout).toMatchObject({
      ...{ profit: '2000.00', available: '2000.00', split: '90', traderReceives: '1800.00' },
      terms: { name: 'Funded 100K' },
    })
    const request = { paymentMethod: 'crypto', paymentDetails: 'wallet', amount: '2500.00' }
    expect((await trader.post('/api/user/payouts', request)).status).toBe(409)
    expect((await trader.post('/api/user/payouts', { ...request, amount: '500.00' })).status).toBe(201)
  })
})
