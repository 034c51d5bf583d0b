import { expect, it } from 'vitest'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'

describeSite('a payment to a wrong address', (site) => {
  it.each([1280, 390])('is put right from the mail that tells of it, and batched again: %i px', async (width) => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin, { fullName: `Ada of ${width}` })
    const wrong = { amount: '250.00', paymentMethod: 'paypal', destination: { email: 'ada@exampel.com' } }
    const { id } = read(Payout, await trader.post('/api/user/payouts', wrong))
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const batch = { format: 'paypal', currency: 'USD', payouts: [id] }
    const made = read(Batch, await admin.post('/api/admin/batches', batch))
    await admin.post(`/api/admin/batches/${made.id}/release`)
    const fault = { state: 'failed', reason: 'Receiver has no PayPal account' }
    expect((await admin.patch(`/api/admin/payouts/${id}/payment`, fault)).status).toBe(200)

    const mail = await site.portal.mailWith(trader.email, ({ subject }) => subject?.endsWith('failed') === true)
    const [link = ''] = /\/payouts\?\S+/.exec(mail.text ?? '') ?? []
    const own = await site.visit({ as: trader, width })
    // An address that is none is sent first.
    own.allowStatus(400)
    await own.open(link)
    const dialog = own.page.getByRole('dialog', { name: 'Payout request' })
    await dialog.getByText('Receiver has no PayPal account').waitFor()
    const form = dialog.getByRole('region', { name: 'Give a new destination' })
    await form.getByLabel('Payment Details (PayPal email)').fill('ada')
    await form.getByRole('button', { name: 'Send It There' }).click()
    await form.getByText('Please enter a valid email address').first().waitFor()
    await form.getByLabel('Payment Details (PayPal email)').fill('ada@example.com')
    await own.expectGoodLook()
    await form.getByRole('button', { name: 'Send It There' }).click()
    await dialog.getByText('ada@example.com, before that ada@exampel.com').waitFor()
    await own.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin, width })
    await open('/admin/payouts/batches')
    await page.getByRole('button', { name: 'New Batch' }).click()
    const dialogOfBatch = page.getByRole('dialog', { name: 'New Batch' })
    await dialogOfBatch.getByLabel('Format').selectOption('paypal')
    await dialogOfBatch.getByText('A new destination was given', { exact: false }).waitFor()
    await dialogOfBatch.getByRole('checkbox', { name: new RegExp(`^Ada of ${width}`) }).check()
    await expectGoodLook()
    await dialogOfBatch.getByRole('button', { name: 'Make Batch of 1' }).click()
    await expectToast('Batch made')
    await page.getByRole('table', { name: 'Payments' }).getByText('ada@example.com').waitFor()
    const [payout] = read(AdminPayout.array(), await admin.get(`/api/admin/payouts?search=${id}`))
    expect(payout?.payment).toMatchObject({ state: 'in-batch', reference: `${id}-2` })
  })

  it('is put right by staff, from the row of the payout', async () => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin, { fullName: 'Grace Hopper' })
    const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '99.00', paymentMethod: 'crypto' }))
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/payouts?search=${id}`)
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
    await page.getByRole('menuitem', { name: 'Approve' }).click()
    const verdict = page.getByRole('dialog', { name: 'Approve payout' })
    await verdict.getByText('The request says nothing about where the money goes', { exact: false }).waitFor()
    await verdict.getByRole('button', { name: 'Approve' }).click()
    await expectToast('Payout approved successfully')

    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
    await page.getByRole('menuitem', { name: 'New Destination' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Destination' })
    await dialog.getByText('None given').waitFor()
    await dialog.getByLabel('Network').selectOption('ERC20')
    await dialog.getByLabel('Payment Details (wallet address)').fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
    await dialog.getByRole('button', { name: 'Give It' }).click()
    await dialog.getByText('Required', { exact: true }).waitFor()
    await dialog.getByLabel('Reason').fill('By phone')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Give It' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [payout] = read(AdminPayout.array(), await admin.get(`/api/admin/payouts?search=${id}`))
    expect(payout).toMatchObject({ takesDestination: false, destinationChanges: [{ from: '', reason: 'By phone' }] })
  })
})

describeSite('a saved destination', (site) => {
  it.each([1280, 390])('is confirmed by the link in a mail, and chosen for a request: %i px', async (width) => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin)
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: trader, width })
    await open('/payouts')
    await page.getByRole('button', { name: 'Save a Destination' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save a Destination' })
    await dialog.getByLabel('Save As').fill('My bank')
    await dialog.getByLabel('Account Holder').fill('Ada Lovelace')
    await dialog.getByLabel('IBAN', { exact: true }).fill('DE89370400440532013000')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expectToast('Destination saved')
    await page.getByText('Open the link in the mail', { exact: true }).waitFor()
    await page.getByLabel('Payment Method').selectOption('bank')
    expect(await page.getByLabel('Saved Destinations', { exact: true }).count()).toBe(0)

    const mail = await site.portal.mailWith(
      trader.email,
      ({ subject }) => subject?.startsWith('Confirm a saved') === true,
    )
    const [link = ''] = /\/confirm-destination\?\S+/.exec(mail.text ?? '') ?? []
    const outside = await site.visit({ width })
    await outside.open(link)
    await outside.page.getByRole('button', { name: 'Confirm this destination' }).click()
    await outside.page.getByText('Thank you. The destination is confirmed.').waitFor()
    await outside.expectGoodLook()

    await page.getByText('Open the link in the mail', { exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('Saved Destinations', { exact: true }).selectOption('My bank')
    expect(await page.getByLabel('IBAN', { exact: true }).inputValue()).toBe('DE89370400440532013000')
    await page.getByLabel('Amount').fill('250')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payout requested')
    await page.getByRole('button', { name: 'Remove My bank' }).click()
    await page.getByText('None yet.', { exact: false }).waitFor()
  })
})
