import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { read } from '#test-support/http-calls.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { MOST_DESTINATIONS } from '../saved-destination.ts'
import { SavedDestination } from '../saved-destination-api.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const bank = { holder: 'Ada Lovelace', iban: 'DE89370400440532013000' }
const save = (trader: Trader, body: object = { name: 'My bank', destination: bank }) =>
  trader.post('/api/user/destinations', body)
const saved = async (trader: Trader) =>
  read(SavedDestination.array(), await trader.get('/api/user/destinations', await portal.atEnd()))
const eventsOf = ({ id }: Trader) => portal.events(`destinations-${id}`)

async function tokenIn(trader: Trader): Promise<string> {
  const mail = await portal.mailWith(trader.email, ({ subject }) => subject?.startsWith('Confirm a saved') === true)
  const [, token = ''] = /\/confirm-destination\?token=([^\s"&<]+)/.exec(mail.text ?? '') ?? []
  return decodeURIComponent(token)
}
const confirm = (token: string) => portal.browser().post('/api/confirm-destination', { token })

describe('a saved destination', () => {
  it('is offered once it is confirmed by the link in the mail, which works once', async () => {
    const trader = await portal.trader()
    const answer = await save(trader)
    expect(answer).toMatchObject({
      status: 201,
      body: { name: 'My bank', paymentMethod: 'bank', destination: bank, confirmed: false },
    })
    const token = await tokenIn(trader)
    expect(await saved(trader)).toMatchObject([{ name: 'My bank', destination: bank, confirmed: false }])
    expect((await confirm(token)).status).toBe(200)
    expect(await saved(trader)).toMatchObject([{ confirmed: true }])
    const unusable = { message: 'This link is not valid any more. Please save the destination once more.' }
    expect(await confirm(token)).toMatchObject({ status: 400, body: unusable })
    expect(await confirm(`${token}x`)).toMatchObject({ status: 400, body: unusable })
    expect((await confirm('none')).status).toBe(400)
    expect((await eventsOf(trader)).map(({ type }) => type)).toEqual(['DestinationSaved', 'DestinationConfirmed'])
    let stored = ''
    for await (const page of portal.running.parts.eventStore.readStream(`destinations-${trader.id}`))
      stored += JSON.stringify(page)
    expect(stored).toContain('DestinationSaved')
    for (const secret of ['My bank', bank.iban, token]) expect(stored).not.toContain(secret)
  })

  it('is one that was checked, each once, and at most so many', async () => {
    const trader = await portal.trader()
    expect(await save(trader, { name: '', destination: {} })).toMatchObject({
      status: 400,
      body: { errors: { name: 'Required' } },
    })
    expect(await save(trader, { name: 'Mine', destination: { ...bank, iban: 'DE00' } })).toMatchObject({
      status: 400,
      body: { errors: { 'destination.iban': expect.any(String) } },
    })
    for (let n = 0; n < MOST_DESTINATIONS; n += 1)
      expect((await save(trader, { name: `No. ${n}`, destination: { email: `ada${n}@example.com` } })).status).toBe(201)
    expect(await save(trader)).toMatchObject({
      status: 409,
      body: { message: `You can save up to ${MOST_DESTINATIONS} destinations. Remove one first.` },
    })
    const [first] = await saved(trader)
    expect((await save(trader, { name: 'Again', destination: first?.destination })).body).toEqual({
      message: 'You saved this destination already',
    })
    expect((await trader.delete(`/api/user/destinations/${first?.id}`)).status).toBe(200)
    expect((await trader.delete(`/api/user/destinations/${first?.id}`)).status).toBe(404)
    expect(await saved(trader)).toHaveLength(MOST_DESTINATIONS - 1)
  })

  it('is its trader’s alone, and in the history that staff read', async () => {
    const [trader, eve] = [await portal.trader(), await portal.trader()]
    const { id } = read(
      SavedDestination,
      await save(trader, { name: 'Mail', destination: { email: 'ada@example.com' }, paymentMethod: 'skrill' }),
    )
    expect((await eve.delete(`/api/user/destinations/${id}`)).status).toBe(404)
    expect(await saved(eve)).toEqual([])
    expect((await portal.browser().get('/api/user/destinations')).status).toBe(401)
    const { text } = await admin.get(`/api/audit/accounts/${trader.id}/events`, await portal.atEnd())
    expect(text).toContain('DestinationSaved')
  })

  it('is forgotten with its trader, and its link does nothing then', async () => {
    const trader = await portal.trader()
    await save(trader)
    const token = await tokenIn(trader)
    expect((await admin.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
    const events = await eventsOf(trader)
    expect(events.map(({ type }) => type)).toEqual(['DestinationSaved', 'DestinationsForgotten'])
    expect(z.looseObject({ name: z.string() }).parse(events[0]?.data)).toMatchObject({
      name: 'erased',
      destination: null,
    })
    expect((await confirm(token)).status).toBe(400)
  })
})
