import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { after, read } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'
import { UserNote } from '../user-note-api.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const admin = await portal.admin()
const SAID = 'Calls every week; asks for a second account'
const notesOf = (id: string) => `/api/admin/user/${id}/notes`

describe('internal notes on a user', () => {
  it('are written by staff and read by all of them, the newest first, with who wrote them', async () => {
    const [trader, kim] = [await portal.trader(), await portal.member('support', { name: 'Kim' })]
    await kim.post(notesOf(trader.id), { text: ` ${SAID} ` })
    const answer = await admin.post(notesOf(trader.id), { text: 'Paid by hand\nonce' })
    expect(answer.status).toBe(200)
    for (const who of [admin, kim, await portal.member('payouts'), await portal.auditor()])
      expect(read(z.array(UserNote), await who.get(notesOf(trader.id), after(answer)))).toMatchObject([
        { id: 'n2', text: 'Paid by hand\nonce' },
        { id: 'n1', text: SAID, written: { by: 'admin', name: 'Kim' } },
      ])
    const removed = await kim.delete(`${notesOf(trader.id)}/n2`)
    expect(removed.status).toBe(200)
    expect(read(z.array(UserNote), await admin.get(notesOf(trader.id), after(removed)))).toMatchObject([{ id: 'n1' }])
    expect((await kim.delete(`${notesOf(trader.id)}/n2`)).status).toBe(404)
    expect((await portal.events(`notes-${trader.id}`)).map(({ type }) => type)).toEqual([
      'UserNoteWritten',
      'UserNoteWritten',
      'UserNoteRemoved',
    ])
  })

  it('are refused to auditors, traders and strangers, and where they say nothing', async () => {
    const trader = await portal.trader()
    expect((await (await portal.auditor()).post(notesOf(trader.id), { text: SAID })).status).toBe(403)
    for (const who of [trader, portal.browser()]) {
      expect((await who.post(notesOf(trader.id), { text: SAID })).status).toBe(401)
      expect((await who.get(notesOf(trader.id))).status).toBe(401)
    }
    expect(await admin.post(notesOf(trader.id), { text: ' \n ' })).toMatchObject({
      status: 400,
      body: { errors: { text: 'Please write the note' } },
    })
    expect((await admin.post(notesOf(trader.id), { text: 'x'.repeat(2_001) })).status).toBe(400)
    expect((await admin.post(notesOf('nobody01'), { text: SAID })).status).toBe(404)
    expect(await portal.events(`notes-${trader.id}`)).toEqual([])
  })

  it('are in the audit of staff, and in nothing that the trader reads or downloads', async () => {
    const trader = await portal.trader()
    await admin.post(notesOf(trader.id), { text: SAID })
    const events = read(z.array(AuditEvent), await admin.get(`/api/audit/accounts/${trader.id}/events?order=desc`))
    expect(events[0]).toMatchObject({
      type: 'UserNoteWritten',
      changes: [{ field: 'userNote.text', from: null, to: SAID }],
    })
    await portal.atEnd()
    const own = allRoutes.filter(({ method, access }) => method === 'get' && access.startsWith('trader'))
    const told = await Promise.all(own.map(async ({ path }) => (await trader.get(path.replace(':id', trader.id))).text))
    expect(told.join()).toContain('UserRegistered')
    expect(told.join()).not.toMatch(/Calls every week|UserNote/)
  })

  it('are gone with the user: nothing in the log can be read, and nobody finds them', async () => {
    const trader = await portal.trader()
    await admin.post(notesOf(trader.id), { text: SAID })
    await admin.delete(`/api/admin/user/${trader.id}`)
    for (const answer of [await admin.get(notesOf(trader.id)), await admin.post(notesOf(trader.id), { text: SAID })])
      expect(answer).toMatchObject({ status: 404, body: { message: 'User not found' } })
    const audit = await admin.get(`/api/audit/accounts/${trader.id}/events?order=desc`, await portal.atEnd())
    expect(audit.text).toContain('UserNoteWritten')
    expect(audit.text).not.toContain(SAID)
  })
})
