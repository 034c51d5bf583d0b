import { expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { Case } from '#services/trading/cases/case-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'

const OBJECTION = 'This payout follows from the terms of my account.'

describeSite('an objection to a rejected payout', (site) => {
  it('goes from its trader to staff and back, with a file, an answer and a decision', async () => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin, { fullName: 'Grace Hopper' })
    const request = { amount: '100.00', paymentMethod: 'paypal', paymentDetails: trader.email }
    const { id } = read(Payout, await trader.post('/api/user/payouts', request))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'News trading' })

    const own = await site.visit({ as: trader })
    await own.open(`/payouts?payout=${id}`)
    await own.page.getByRole('dialog').getByRole('link', { name: 'Object to this decision' }).click()
    const form = own.page.getByRole('dialog', { name: 'Object to This Decision' })
    await form.getByRole('button', { name: 'Open Case' }).click()
    await form.getByText('Please write at least 20 characters').waitFor()
    await form.getByLabel('Your objection').fill(OBJECTION)
    await own.expectGoodLook()
    await form.getByRole('button', { name: 'Open Case' }).click()
    const mine = own.page.getByRole('dialog', { name: /^Case / })
    await mine.getByText(OBJECTION).waitFor()
    await mine
      .locator('input[type=file]')
      .setInputFiles({ name: 'trades.csv', mimeType: 'text/csv', buffer: Buffer.from('Symbol;Profit\n') })
    await mine.getByRole('link', { name: 'trades.csv' }).waitFor()
    await own.expectGoodLook()
    await own.expectNoSidewaysScroll(320, 390, 768, 1024)

    const judge = await site.visit({ as: await site.portal.member('admin') })
    await judge.open('/admin/cases')
    const table = judge.page.getByRole('table', { name: 'Cases' })
    await table.getByText('Rejected payout').click()
    const dialog = judge.page.getByRole('dialog', { name: /^Case / })
    await dialog.getByText('News trading').waitFor()
    await dialog.getByLabel('Message to the trader').fill('Which trade do you mean?')
    await dialog.getByRole('button', { name: 'Send Answer' }).click()
    await dialog.getByText('Answered').waitFor()
    await judge.expectGoodLook()
    await judge.expectNoSidewaysScroll(320, 390, 768, 1024)

    await mine.getByText('Which trade do you mean?').waitFor()
    await mine.getByLabel('Write to staff').fill('The one of Monday.')
    await mine.getByRole('button', { name: 'Send Message' }).click()
    await mine.getByText('The one of Monday.', { exact: true }).first().waitFor()

    await dialog.getByText('The one of Monday.').waitFor()
    await dialog.getByLabel('Outcome').selectOption('changed')
    await dialog.getByText('This approves the payout', { exact: false }).waitFor()
    await dialog.getByLabel('Reason').fill('There were no news.')
    await dialog.getByRole('button', { name: 'Decide Case' }).click()
    await dialog.getByText('Decision: Changed').waitFor()
    await mine.getByText('Decision: Changed').waitFor()
    await mine.getByText(/The change is #\d+/).waitFor()
    await mine.getByRole('button', { name: 'Close' }).last().click()
    await own.open('/payouts')
    await own.page.getByText('Approved').first().waitFor()
    expect(await own.page.getByText('Rejected').count()).toBe(0)
  })

  it('can be right in part, and change the decision all the same', async () => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin, { fullName: 'Ada Lovelace' })
    const request = { amount: '100.00', paymentMethod: 'paypal', paymentDetails: trader.email }
    const { id, accountId } = read(Payout, await trader.post('/api/user/payouts', request))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'News trading' })
    const objection = { account: accountId, about: { payout: id }, text: OBJECTION }
    const { id: caseId } = read(Case, await trader.post('/api/user/cases', objection))
    const judge = await site.visit({ as: await site.portal.member('admin') })
    await judge.open('/admin/cases?state=overdue')
    await judge.page.getByText('No cases').waitFor()
    await judge.page.getByLabel('State').selectOption('open')
    await judge.page.getByRole('table', { name: 'Cases' }).getByText('Rejected payout').waitFor()
    await judge.page.locator('body').click({ position: { x: 2, y: 2 } })
    await judge.page.keyboard.press('j')
    await judge.page.keyboard.press('Enter')
    const dialog = judge.page.getByRole('dialog', { name: `Case ${caseId}` })
    await dialog.getByLabel('Outcome').selectOption({ label: 'Partly, and the decision changes' })
    await dialog.getByText('This approves the payout', { exact: false }).waitFor()
    await dialog.getByLabel('Reason').fill('The trade was in the news, the amount was not.')
    await dialog.getByRole('button', { name: 'Decide Case' }).click()
    await dialog.getByText('Decision: Partly changed').waitFor()
    await dialog.getByText(/The change is #\d+/).waitFor()
    const decided = read(Case, await trader.get(`/api/user/cases/${caseId}`))
    expect(decided.decision).toMatchObject({ outcome: 'partly', change: { payout: 'approved' } })
  })
})
