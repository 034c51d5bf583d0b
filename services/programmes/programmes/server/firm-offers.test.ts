import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { publishedProgramme } from '#test-support/programme-account.ts'
import { FirmOffers, Offer } from '../offer-api.ts'
import { leadsToExample, offers, pageStanding, setOffers } from './offers.ts'
import { programmeId } from '#services/framework/ids.ts'

const OFFERS = '/api/admin/offers'

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const page = async () => read(Offer.array(), await portal.browser().get('/api/offers', await portal.atEnd()))
const listed = async () => read(FirmOffers, await admin.get(OFFERS, await portal.atEnd()))

describe('the offers of a firm', () => {
  it('are those of the specification until it sets its own, and then nothing else', async () => {
    expect(await listed()).toEqual({ isSet: false, shown: 12, toExample: 12, offers: [] })
    expect(await page()).toEqual(offers('https://checkout.example.com/{challenge}/{size}'))
    const terms = { ...presetTerms('two-step', 25_000), name: 'Sprint 25K' }
    const sprint = await publishedProgramme(admin, terms)
    const programmes = ['one-step-5000', sprint, 'two-step-5000', 'one-step-10000']
    expect((await admin.post(OFFERS, { programmes })).status).toBe(200)
    // PURCHASE_URL is not set: its default sells nothing.
    expect((await listed()).offers.map(({ programme, hidden }) => [programme, hidden])).toEqual(
      programmes.map((id) => [id, 'no-link']),
    )
    expect(await page()).toEqual([])
    for (const programme of ['one-step-5000', sprint, 'two-step-5000'])
      await admin.patch(`${OFFERS}/${programme}`, { purchaseUrl: `https://shop.test/${programme}`, price: '$49, once' })
    const [small, own, ...more] = await page()
    expect(more).toEqual([])
    expect(small).toMatchObject({
      ...{ label: '$5,000', size: 5000, other: null },
      oneStep: { name: 'One-Step Challenge', purchaseUrl: 'https://shop.test/one-step-5000', price: '$49, once' },
      twoStep: { name: 'Two-Step Challenge', purchaseUrl: 'https://shop.test/two-step-5000' },
    })
    expect(own).toMatchObject({
      ...{ label: '$25,000', size: 25_000, oneStep: null, twoStep: null },
      other: { name: 'Sprint 25K', programme: sprint, purchaseUrl: `https://shop.test/${sprint}` },
    })
    expect(own?.other?.rules.map(({ name }) => name)).toEqual([
      ...['Phase 1 Target', 'Phase 2 Target'],
      ...['Daily Drawdown', 'Maximum Loss'],
    ])
  })

  it('show nothing that is retired, and sell nothing once all are removed', async () => {
    await admin.post('/api/admin/programmes/one-step-5000/versions/1/retire')
    expect((await listed()).offers[0]).toMatchObject({ programme: 'one-step-5000', hidden: 'retired' })
    expect((await page()).find(({ size }) => size === 5000)).toMatchObject({
      ...{ oneStep: null, twoStep: { programme: 'two-step-5000' } },
    })
    for (const { programme } of (await listed()).offers)
      expect((await admin.delete(`${OFFERS}/${programme}`)).status).toBe(200)
    expect(await listed()).toEqual({ isSet: true, shown: 0, toExample: 0, offers: [] })
    expect(await page()).toEqual([])
  })

  it('stand in the order that staff give them', async () => {
    const ids = ['one-step-10000', 'one-step-25000', 'one-step-50000']
    await admin.post(OFFERS, { programmes: ids })
    const order = async () => (await listed()).offers.map(({ programme }) => programme)
    const change = await admin.patch(`${OFFERS}/one-step-50000`, { place: 0 })
    expect(change.status).toBe(200)
    expect(await order()).toEqual(['one-step-50000', 'one-step-10000', 'one-step-25000'])
    await admin.patch(`${OFFERS}/one-step-50000`, { place: 99 })
    expect(await order()).toEqual(ids)
    // The same again is no change.
    const before = (await portal.events()).length
    await admin.patch(`${OFFERS}/one-step-50000`, { place: 2 })
    await admin.post(OFFERS, { programmes: ids })
    expect((await portal.events()).length).toBe(before)
  })

  it('refuse what nobody could buy', async () => {
    expect(await admin.post(OFFERS, { programmes: ['one-step-5000'] })).toMatchObject({
      status: 400,
      body: { errors: { programmes: 'Only a published programme can be offered' } },
    })
    for (const purchaseUrl of [
      'http://shop.test',
      'javascript:alert(1)',
      'shop.test',
      'https://a:b@shop.test',
      'https://',
    ])
      expect((await admin.patch(`${OFFERS}/one-step-10000`, { purchaseUrl })).status, purchaseUrl).toBe(400)
    expect((await admin.patch(`${OFFERS}/two-step-200000`, { price: '$1' })).status).toBe(404)
    expect((await admin.delete(`${OFFERS}/two-step-200000`)).status).toBe(404)
    const support = await portal.member('support')
    expect((await support.post(OFFERS, { programmes: ['two-step-10000'] })).status).toBe(403)
    expect((await support.get(OFFERS)).status).toBe(200)
  })

  it('are in the activity of the firm, with who changed what', async () => {
    const changed = await admin.patch(`${OFFERS}/one-step-10000`, { price: '$89' })
    const { body } = await admin.get('/api/audit/events?type=OfferChanged&limit=1', after(changed))
    expect(body).toMatchObject([
      { type: 'OfferChanged', actor: { kind: 'admin' }, changes: [{ field: 'offer.price', from: null, to: '$89' }] },
    ])
  })
})

describe('what the page sells', () => {
  const offer = { programme: programmeId.parse('one-step-5000'), price: '', place: 0 }
  const termsOf = () => presetTerms('one-step', 5_000)

  it('says whether its buttons lead to an example', () => {
    const own = 'https://shop.firm.com/{challenge}/{size}'
    expect(pageStanding('https://checkout.example.com/{size}', null, termsOf)).toEqual({
      ...{ isSet: false, shown: 12, toExample: 12 },
    })
    expect(pageStanding(own, null, termsOf)).toEqual({ isSet: false, shown: 12, toExample: 0 })
    const set = [{ ...offer, purchaseUrl: null }]
    expect(pageStanding(own, set, termsOf)).toEqual({ isSet: true, shown: 1, toExample: 0 })
    expect(pageStanding(own, set, () => undefined)).toEqual({ isSet: true, shown: 0, toExample: 0 })
    const example = [{ ...offer, purchaseUrl: 'https://shop.example/5k' }]
    expect(pageStanding(own, example, termsOf)).toEqual({ isSet: true, shown: 1, toExample: 1 })
    expect(setOffers(own, set, termsOf)[0]?.oneStep?.purchaseUrl).toBe('https://shop.firm.com/one-step/5000')
  })

  it.each([
    'https://example.com',
    'https://checkout.example.com/x',
    'https://a.example/{size}',
    'http://localhost:3000',
    'no address',
  ])('knows %s for an example', (address) => {
    expect(leadsToExample(address)).toBe(true)
  })

  it.each(['https://example-firm.com', 'https://shop.firm.com/example.com', 'https://myexample.com'])(
    'knows %s for none',
    (address) => {
      expect(leadsToExample(address)).toBe(false)
    },
  )
})
