import { expect, it } from 'vitest'
import { z } from 'zod'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'

const requests = z.array(z.object({ id: z.string(), amount: z.string() }))

describeSite('payouts', (site) => {
  const eligible = async () => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin)
    await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'active' })
    const payouts = async () => requests.parse((await trader.get('/api/user/payouts')).body)
    const decide = async (verdict: object) => {
      const [newest] = await payouts()
      return admin.patch(`/api/admin/payouts/${newest?.id}`, verdict)
    }
    return { admin, trader, payouts, decide }
  }

  it('are requested and rejected; the reason appears without a reload', async () => {
    const { trader, decide } = await eligible()
    const { page, open, expectToast, expectAccessible } = await site.visit({ as: trader })
    const listening = page.waitForResponse('**/api/live*')
    await open('/payouts')
    await listening
    await page.getByText('No payout requests found').waitFor()
    await page.getByLabel('Amount').fill('250.5')
    await page.getByLabel('Payment Method').selectOption('PayPal')
    const details = page.getByLabel('Payment Details (PayPal email)')
    expect(await details.getAttribute('type')).toBe('email')
    await details.fill('ada@example.com')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payout requested', 'Your payout request has been submitted successfully.')
    const table = page.getByRole('table', { name: 'Payout history' })
    await table.getByText('$250.50').waitFor()
    await table.getByText('Pending').waitFor()
    await table.getByText('No notes').waitFor()

    await decide({
      status: 'rejected',
      adminNotes: 'The proof of address is older than three months. Please send a new one, and ask again then.',
    })
    await table.getByText('Rejected').waitFor()
    await page
      .getByRole('region', { name: 'Your last request' })
      .getByText('The proof of address is older', { exact: false })
      .waitFor()
    const notes = table.getByRole('button', { name: /^The proof of address/ })
    expect((await notes.boundingBox())?.width).toBeLessThanOrEqual(200)
    await notes.click()
    const dialog = page.getByRole('dialog', { name: 'Payout request' })
    await dialog.getByText('Please send a new one, and ask again then.', { exact: false }).waitFor()
    await dialog.getByText('Requested', { exact: true }).waitFor()
    await dialog.getByText('ada@example.com').waitFor()
    await expectAccessible()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('are of the amount that was meant, however it was written', async () => {
    const { trader, payouts } = await eligible()
    const { page, open, expectToast } = await site.visit({ as: trader })
    await open('/payouts')
    const amount = page.getByLabel('Amount')
    await page.getByLabel('Payment Method').selectOption('skrill')
    await amount.fill('1.000')
    await page.keyboard.press('Enter')
    await page.getByText('“1.000” can mean $1.00 or $1,000.00. Please type it with two decimal places').waitFor()
    expect(await payouts()).toHaveLength(0)
    // Keys, not `fill`: a number field drops the comma only of what is typed.
    await amount.fill('')
    await amount.pressSequentially('10,50')
    await page.getByText('Read as $10.50').waitFor()
    await page.keyboard.press('Enter')
    await expectToast('Payout requested')
    await amount.pressSequentially("1'000,25")
    await page.getByLabel('Payment Method').selectOption('skrill')
    await page.getByText('Read as $1,000.25').waitFor()
    await page.getByRole('button', { name: 'Request Payout' }).click()
    const history = page.getByRole('table', { name: 'Payout history' })
    await history.getByText('$1,000.25').waitFor()
    // As phones with an Arabic keyboard write it.
    await amount.pressSequentially('١٢٫٧٥')
    await page.getByLabel('Payment Method').selectOption('skrill')
    await page.getByText('Read as $12.75').waitFor()
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await history.getByText('$12.75').waitFor()
    expect((await payouts()).map((payout) => payout.amount)).toEqual(['12.75', '1000.25', '10.50'])
  })

  it('count a double click once and two requests twice', async () => {
    const { trader, payouts } = await eligible()
    const { page, open, expectToast } = await site.visit({ as: trader })
    await open('/payouts')
    const ask = async (click: 'click' | 'dblclick') => {
      await page.getByLabel('Amount').fill('100')
      await page.getByLabel('Payment Method').selectOption('crypto')
      await page.getByRole('button', { name: 'Request Payout' })[click]()
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[name=amount]')?.value === '')
    }
    await ask('dblclick')
    await expectToast('Payout requested')
    expect(await page.getByText('Amount must be a valid number').count()).toBe(0)
    expect(await payouts()).toHaveLength(1)
    await ask('click')
    await page.getByRole('table', { name: 'Payout history' }).getByText('$100.00').nth(1).waitFor()
    expect(await payouts()).toHaveLength(2)
  })

  it('are made once when a lost answer is retried', async () => {
    const { trader, payouts } = await eligible()
    const { page, open, expectToast, problems } = await site.visit({ as: trader })
    await open('/payouts')
    await page.getByLabel('Amount').fill('75')
    await page.getByLabel('Payment Method').selectOption('skrill')
    await page.route('**/api/user/payouts*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast(
      'Request failed',
      'The connection broke, and it is not known whether this arrived. Try it again: it takes effect only once.',
    )
    // The browser's own line about the connection that was broken on purpose.
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('ERR_CONNECTION_RESET')))
    await page.unroute('**/api/user/payouts*')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payout requested')
    expect(await payouts()).toHaveLength(1)
  })

  it('show each message of the form at its field, and the server’s refusals', async () => {
    const { trader } = await eligible()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    allowStatus(500)
    await open('/payouts')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await page.getByText('Amount must be a valid number', { exact: true }).waitFor()
    await page.getByText('Please select a payment method', { exact: true }).waitFor()
    await page.getByLabel('Amount').fill('0')
    await page.getByText('Amount must be greater than 0', { exact: true }).waitFor()
    expect(await page.getByLabel('Amount').getAttribute('step')).toBe('0.01')
    expect(await page.getByLabel('Payment Method').getAttribute('aria-invalid')).toBe('true')
    for (const [method, label] of [
      ['bank', /bank name, account number, SWIFT\/BIC/],
      ['crypto', /wallet address/],
      ['skrill', /Skrill email/],
    ] as const) {
      await page.getByLabel('Payment Method').selectOption(method)
      await page.getByLabel(label).waitFor()
    }
    expect(await page.getByLabel(/Skrill email/).getAttribute('type')).toBe('email')

    await page.route('**/api/user/payouts*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 500, json: { message: 'The desk is closed' } })
        : route.continue(),
    )
    await page.getByLabel('Amount').fill('10')
    await page.getByLabel('Payment Method').selectOption('bank')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Request failed', 'The desk is closed')
    expect(await page.getByLabel('Amount').inputValue()).toBe('10')
  })

  it('show their sums as the server says them, and none that it does not say', async () => {
    const { admin, trader, decide } = await eligible()
    await admin.patch(`/api/admin/user/${trader.id}/account`, { profitLoss: '600.00' })
    await trader.post('/api/user/payouts', { amount: '100.00', paymentMethod: 'bank' })
    await decide({ status: 'approved' })
    await trader.post('/api/user/payouts', { amount: '250.50', paymentMethod: 'bank' })
    const { page, open, allowStatus } = await site.visit({ as: trader })
    await open('/payouts')
    await page.getByText('1, $250.50').waitFor()
    await page.getByText('1, $100.00').waitFor()
    await page.getByLabel('Amount').fill('400')
    await page.getByText('Your open requests of $250.50 leave $249.50 of your profit.', { exact: false }).waitFor()
    await page.getByLabel('Payment Method').selectOption('crypto')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await page.getByText('2, $650.50').waitFor()

    allowStatus(500)
    await page.route('**/api/user/payouts/summary*', (route) => route.fulfill({ status: 500, json: { message: 'No' } }))
    await page.reload()
    await expect.poll(() => page.getByText('Could not be loaded').count()).toBe(5)
    await page.getByLabel('Amount').waitFor()
  })

  it('are refused when disabled while the form is open', async () => {
    const { trader, admin } = await eligible()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    allowStatus(403)
    // Without live changes the page can't know before it asks.
    await page.route('**/api/live*', (route) => route.fulfill({ status: 503, body: '' }))
    allowStatus(503)
    await open('/payouts')
    await page.getByLabel('Amount').fill('10')
    await page.getByLabel('Payment Method').selectOption('bank')
    await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: false })
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payouts disabled', 'Your account is not currently eligible for payouts.')
    await page.getByText('Payouts not available').waitFor()
  })

  it('tell an ineligible trader what is missing', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    await open('/payouts')
    await page.getByText('Payouts not available').waitFor()
    await page
      .getByText('Your account is not currently eligible for payouts. Please contact support for more information.')
      .waitFor()
    const missing = page.getByRole('listitem').filter({ hasText: 'Missing' })
    await expect.poll(() => missing.count()).toBe(2)
    expect(await missing.nth(0).textContent()).toContain('Account active')
    expect(await missing.nth(1).textContent()).toContain('Eligible for payouts')
    expect(await page.getByRole('button', { name: 'Request Payout' }).count()).toBe(0)
  })

  it('go to a checked account: faults at their fields, the short form in the history, and the same again', async () => {
    const { trader, payouts } = await eligible()
    const { page, open, expectToast, allowStatus, expectGoodLook, expectNoSidewaysScroll } = await site.visit({
      as: trader,
    })
    allowStatus(400)
    await open('/payouts')
    await page.getByLabel('Amount').fill('100')
    await page.getByLabel('Payment Method').selectOption('bank')
    await page.getByLabel('Bank account by').selectOption('IBAN')
    await page.getByLabel('Account Holder').fill('Ada Lovelace')
    await page.getByLabel('IBAN', { exact: true }).fill('DE89 3704 0044 0532 0130 01')
    await expectGoodLook()
    await expectNoSidewaysScroll(320)
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await page.getByText('This IBAN is mistyped: its check digits do not fit', { exact: true }).first().waitFor()
    expect(await payouts()).toEqual([])
    await page.getByLabel('IBAN', { exact: true }).fill('DE89 3704 0044 0532 0130 00')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payout requested')
    await page.getByLabel('Amount').fill('200')
    await page.getByLabel('Payment Method').selectOption('bank')
    await page.getByRole('button', { name: 'Use Ada Lovelace, DE89…3000 again' }).click()
    expect(await page.getByLabel('IBAN', { exact: true }).inputValue()).toBe('DE89370400440532013000')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    const table = page.getByRole('table', { name: 'Payout history' })
    await table.getByText('$200.00').click()
    const dialog = page.getByRole('dialog', { name: 'Payout request' })
    await dialog.getByText('Ada Lovelace, DE89…3000').waitFor()
    expect(await dialog.getByText('Not checked').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByLabel('Payment Method').selectOption('crypto')
    await page.getByText('This request does not say where the money goes yet.', { exact: false }).waitFor()
    await page.getByLabel('Network').selectOption('In my own words, not checked')
    await page.getByText('Nobody checks it for slips', { exact: false }).waitFor()
    await page.getByLabel(/wallet address/).fill('0x12')
    await page.getByLabel('Amount').fill('300')
    await page.getByText('(not checked)', { exact: false }).waitFor()
    await page.getByLabel('Network').selectOption('BEP20')
    await page.getByText('On this network coins are Binance-Peg', { exact: false }).waitFor()
    expect(await page.getByLabel('Coin').locator('option').allTextContents()).toEqual([
      'As the firm pays',
      'USDC',
      'USDT',
    ])
    await page.getByLabel('Coin').selectOption('USDC')
    await page.getByLabel('Network').selectOption('ERC20')
    expect(await page.getByLabel('Coin').inputValue()).toBe('')
    await page.getByLabel('Coin').selectOption('EURC')
    await page.getByText('ERC20, EURC', { exact: false }).waitFor()
    await page.getByLabel(/wallet address/).fill('0x12')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await page.getByText('This is no address of the ERC20 network', { exact: true }).first().waitFor()
    expect(await payouts()).toHaveLength(2)
  })

  it('are followed until they are paid, with a receipt', async () => {
    const { admin, trader, payouts, decide } = await eligible()
    await trader.post('/api/user/payouts', {
      amount: '250.00',
      paymentMethod: 'paypal',
      destination: { email: 'ada@example.com' },
    })
    await decide({ status: 'approved' })
    const [payout] = await payouts()
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    const listening = page.waitForResponse('**/api/live*')
    await open('/payouts')
    await listening
    const table = page.getByRole('table', { name: 'Payout history' })
    await table.getByText('To be paid').click()
    const dialog = page.getByRole('dialog', { name: 'Payout request' })
    await dialog.getByText('The payment is made next.', { exact: false }).waitFor()
    await admin.patch(`/api/admin/payouts/${payout?.id}/payment`, { state: 'paid', reference: 'wire 7' })
    await dialog.getByText('Payment made', { exact: true }).waitFor()
    await dialog.getByText('Reference wire 7').waitFor()
    await dialog.getByRole('link', { name: 'Receipt to print' }).click()
    await page.getByRole('heading', { name: 'Payment of $250.00' }).waitFor()
    await page.getByText('ada@example.com').waitFor()
    await page.getByText('wire 7').waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Print Receipt' }).isVisible()).toBe(false)
    expect(await page.getByText('/history?at=', { exact: false }).isVisible()).toBe(true)
  })

  it('are withdrawn from their row, by keyboard and on a phone', async () => {
    const { trader, payouts } = await eligible()
    const ask = { paymentMethod: 'paypal', destination: { email: 'ada@example.com' } }
    for (const amount of ['40.00', '60.00']) await trader.post('/api/user/payouts', { ...ask, amount })
    const { page, open, expectToast } = await site.visit({ as: trader, width: 390 })
    await open('/payouts')
    const withdraw = (amount: string) => page.getByRole('button', { name: `Withdraw the request of ${amount}` })
    const confirm = page
      .getByRole('dialog', { name: 'Payout request' })
      .getByRole('button', { name: 'Withdraw Request' })
    await withdraw('$60.00').waitFor()
    // As large as a finger.
    expect((await withdraw('$60.00').boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await withdraw('$60.00').click()
    await confirm.click()
    await expectToast('Payout withdrawn', 'Your request of $60.00 was withdrawn.')
    await page.keyboard.press('Escape')
    await withdraw('$60.00').waitFor({ state: 'detached' })
    await withdraw('$40.00').focus()
    await page.keyboard.press('Enter')
    await confirm.focus()
    await page.keyboard.press('Enter')
    await withdraw('$40.00').waitFor({ state: 'detached' })
    expect((await payouts()).length).toBe(2)
  })

  it('are accessible and fit in both themes, on desktop and phone', async () => {
    const { trader, decide } = await eligible()
    await trader.post('/api/user/payouts', { amount: '1234567.89', paymentMethod: 'bank', paymentDetails: 'A bank' })
    await decide({ status: 'rejected', adminNotes: 'averylongwordwithoutanyblank'.repeat(6) })
    await trader.post('/api/user/payouts', { amount: '20.00', paymentMethod: 'bank', paymentDetails: '' })
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/payouts')
    await page.getByRole('table', { name: 'Payout history' }).getByText('$1,234,567.89').waitFor()
    await page.getByLabel('Payment Method').selectOption('bank')
    await expectGoodLook()
    await expectNoSidewaysScroll(320)
  })
})
