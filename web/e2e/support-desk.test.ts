import { expect, it } from 'vitest'
import { z } from 'zod'
import { after, read } from '#test-support/http-calls.ts'
import { UserNote } from '#services/identity/user-notes/user-note-api.ts'
import { payoutsOf, traderWithRequests } from './admin-people.ts'
import { describeSite } from './kit.ts'

describeSite('the desk', (site) => {
  it('keeps notes on a user, which only staff see', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Grace Hopper' })
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/users?user=${trader.id}`)
    const notes = page.getByRole('dialog', { name: 'Grace Hopper' })
    await notes.getByText('None. Only staff see them.').waitFor()
    await notes.getByRole('button', { name: 'Add Note' }).click()
    const form = page.getByRole('dialog', { name: 'Add Note' })
    await form.getByRole('button', { name: 'Add Note' }).click()
    await form.getByText('Please write the note').waitFor()
    await form.getByLabel('Note', { exact: true }).fill('Asks for a second account')
    await expectGoodLook()
    await form.getByRole('button', { name: 'Add Note' }).click()
    await expectToast('Note added')
    const list = notes.getByRole('list', { name: 'Internal notes, newest first' })
    await list.getByText('Asks for a second account').waitFor()
    await expectGoodLook()
    const told = await trader.get('/api/user/history?order=desc', await site.portal.atEnd())
    expect(told.text).not.toContain('second account')
    await list.getByRole('button', { name: 'Delete note n1' }).click()
    await page
      .getByRole('alertdialog', { name: 'Delete this note' })
      .getByRole('button', { name: 'Delete Note' })
      .click()
    await expectToast('Note deleted')
    await notes.getByText('None. Only staff see them.').waitFor()
    expect(read(z.array(UserNote), await admin.get(`/api/admin/user/${trader.id}/notes`))).toEqual([])
  })

  it('rejects with a template of the firm, which is edited before it is sent', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Katherine Johnson', ['70.00'])
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/system')
    await page.getByRole('button', { name: 'Add Template' }).click()
    const form = page.getByRole('dialog', { name: 'Add Template' })
    await form.getByLabel('Name').fill('Wallet')
    await form.getByLabel('Text').fill('This wallet is not yours.')
    await form.getByRole('button', { name: 'Save Template' }).click()
    await expectToast('Template saved')
    await page.getByRole('list', { name: 'Reply templates' }).getByText('This wallet is not yours.').waitFor()
    await expectGoodLook()

    await open(`/admin/payouts?of=${trader.id}`)
    await page.getByRole('button', { name: 'Actions for Katherine Johnson' }).click()
    await page.getByRole('menuitem', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject payout' })
    const adminNotes = dialog.getByLabel('Admin Notes')
    await adminNotes.fill('Hello Katherine,')
    await dialog.getByLabel('Reply Template').selectOption('Wallet')
    // What was typed stays.
    expect(await adminNotes.inputValue()).toBe('Hello Katherine,\n\nThis wallet is not yours.')
    await adminNotes.fill('This wallet is not yours. Please send another one.')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await expectToast('Payout rejected successfully')
    expect(await payoutsOf(trader)).toMatchObject([
      { status: 'rejected', adminNotes: 'This wallet is not yours. Please send another one.' },
    ])
  })

  it('rejects several payouts with a template', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Mary Jackson', ['71.00', '72.00'])
    const text = 'The account is not in your name.'
    await admin.post('/api/admin/reply-templates', { name: 'Name', text })
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/payouts?of=${trader.id}`)
    await page.getByLabel('Select all 2 pending on this page').check()
    await page.getByRole('button', { name: 'Reject selected' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject several payouts' })
    await dialog.getByLabel('Reply Template').selectOption('Name')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Reject 2 payouts' }).click()
    await dialog.getByText('2 rejected, none failed').waitFor()
    expect((await payoutsOf(trader)).map(({ status, adminNotes }) => [status, adminNotes])).toEqual([
      ['rejected', text],
      ['rejected', text],
    ])
  })

  it('finds a payout by the reference of its payment', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Ida Rhodes', ['31.00', '32.00'])
    const id = `${trader.id}-a1-p1`
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const paid = await admin.patch(`/api/admin/payouts/${id}/payment`, { state: 'paid', reference: 'Wire of 7 May' })
    await admin.get('/api/admin/payouts', after(paid))
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/payouts')
    const rows = page.locator('tbody [data-row]')
    for (const pasted of ['Wire of 7 May', `${id}-1`, id]) {
      await page.getByRole('searchbox').fill(pasted)
      await expect.poll(() => rows.count()).toBe(1)
      await rows.getByText('$31.00').waitFor()
      await page.getByRole('searchbox').fill('')
      await expect.poll(() => rows.count()).toBeGreaterThan(1)
    }
  })

  it('assigns logins from a list, and says which lines it leaves out', async () => {
    const admin = await site.portal.admin()
    const people = [await site.portal.trader({ fullName: 'Mary Jackson' }), await site.portal.trader()]
    for (const { id } of people) await admin.post(`/api/admin/user/${id}/enrolments`, { programme: 'one-step-5000' })
    await site.portal.atEnd()
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/tasks')
    await page.getByRole('button', { name: 'Assign Logins from a List' }).click()
    const dialog = page.getByRole('dialog', { name: 'Assign Logins from a List' })
    const [mary, other] = people
    await dialog
      .getByLabel('Logins, one a line')
      .fill(
        [
          '70900001,secret one,Live-9,mt5',
          `70900002,secret two,Live-9,MetaTrader 4,${mary?.email}`,
          '70900003,,Live-9,mt5',
          '70900004,secret four,Live-9,mt5,nobody@mail.example',
          `70900005,secret five,Live-9,mt5,${other?.id}-a1`,
        ].join('\n'),
      )
    const left = dialog.getByRole('list', { name: 'Lines that are left out' })
    await left.getByText('Line 3: Without password').waitFor()
    await left.getByText('Line 4: No account of nobody@mail.example waits for a login').waitFor()
    await left.getByText('Line 1: No further account waits for a login').waitFor()
    const list = dialog.getByRole('list', { name: 'What goes where' })
    await list.getByText('Line 2: 70900002 on Live-9 → Mary Jackson, One-Step 5K').waitFor()
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Assign 2 Logins' }).click()
    await dialog.getByText('2 of 2 logins assigned.').waitFor()
    expect(await page.content()).not.toContain('secret two')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('No tasks').waitFor()
    for (const [person, login, platform] of [
      [mary, '70900002', 'mt4'],
      [other, '70900005', 'mt5'],
    ] as const)
      expect((await person?.get('/api/user/account'))?.body).toMatchObject({ login, platform, server: 'Live-9' })
  })
})
