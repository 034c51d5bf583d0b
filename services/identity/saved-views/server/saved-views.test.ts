import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { read } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'
import { ListedView } from '../saved-view-api.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const VIEWS = '/api/admin/auth/views'
const owed = { list: 'payouts', name: 'Owed', query: 'payment=open&from=2026-11-01&sort=-amount' }
type Member = Awaited<ReturnType<typeof portal.member>>
const viewsOf = async (who: Member) => read(z.array(ListedView), await who.get(VIEWS))

describe('saved views', () => {
  it('are kept for the member alone, with every key, and audited', async () => {
    const [dana, marcus] = [await portal.member('payouts', { name: 'Dana' }), await portal.member('auditor')]
    expect(await dana.post(VIEWS, owed)).toMatchObject({ status: 201, body: { id: 'v1' } })
    expect(await dana.post(VIEWS, { ...owed, list: 'users', query: 'status=breached' })).toMatchObject({ status: 201 })
    expect(await viewsOf(dana)).toEqual([
      { id: 'v1', ...owed },
      { id: 'v2', ...owed, list: 'users', query: 'status=breached' },
    ])
    expect(await viewsOf(marcus)).toEqual([])
    expect((await dana.patch(`${VIEWS}/v1`, { name: ' Unpaid ' })).status).toBe(200)
    expect((await dana.delete(`${VIEWS}/v2`)).status).toBe(200)
    expect(await viewsOf(dana)).toEqual([{ id: 'v1', ...owed, name: 'Unpaid' }])
    for (const refused of [await marcus.patch(`${VIEWS}/v1`, { name: 'Mine' }), await marcus.delete(`${VIEWS}/v1`)])
      expect(refused).toMatchObject({ status: 404, body: { message: 'There is no such view' } })
    for (const who of [await portal.trader(), portal.browser()]) expect((await who.get(VIEWS)).status).toBe(401)
    const types = ['ViewSaved', 'ViewSaved', 'ViewRenamed', 'ViewRemoved']
    const events = (await portal.events()).filter(({ type }) => types.includes(type))
    expect(events.map(({ type }) => type)).toEqual(types)
    expect(new Set(events.map(({ stream }) => stream)).size).toBe(1)
  })

  it.each([
    ['name', { ...owed, name: '  ' }, 'Please enter a name'],
    ['name', { ...owed, name: 'x'.repeat(61) }, 'Must be at most 60 characters'],
    ['list', { ...owed, list: 'batches' }, 'Invalid input'],
    ['query', { ...owed, query: '' }, 'Invalid input'],
    ['query', { ...owed, query: 'status=<script>' }, 'Invalid input'],
    ['query', { ...owed, query: `status=${'a'.repeat(500)}` }, 'Invalid input'],
    ['query', { ...owed, query: 'search=Ada' }, 'A view keeps no words that were searched for'],
  ])('are refused with the field at fault: %s of %j', async (field, body, message) => {
    const member = await portal.member('support')
    expect(await member.post(VIEWS, body)).toMatchObject({ status: 400, body: { errors: { [field]: message } } })
    expect(await viewsOf(member)).toEqual([])
  })
})
