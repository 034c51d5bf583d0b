import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { read } from '#test-support/http-calls.ts'
import { until } from '#test-support/until.ts'
import { payoutsOf, traderWithRequests } from './admin-people.ts'
import { describeSite, openFilters } from './kit.ts'

/** Problems that members of a payouts desk met, each as they met it. */
describeSite(
  'a payouts desk',
  (site) => {
    const rows = (page: Page) => page.locator('tbody [data-row]')
    const shows = (page: Page, amounts: readonly string[]) =>
      until(async () => {
        const shown = (await rows(page).allInnerTexts()).map((text) => /\$[\d.,]+/.exec(text)?.[0])
        return JSON.stringify(shown) === JSON.stringify(amounts)
      }, `the amounts ${amounts.join()}`)

    it('is warned before it approves the same profit twice, and the first approval leaves the balance', async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, 'Twice Paid', [])
      await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '10500.00', profitLoss: '500.00' })
      const ask = () => trader.post('/api/user/payouts', { amount: '400.00', paymentMethod: 'paypal' })
      await ask()
      const { page, open, expectToast } = await site.visit({ as: admin })
      await open(`/admin/payouts?of=${trader.id}&status=pending`)
      const openDialog = async () => {
        await rows(page).first().focus()
        await page.keyboard.press('a')
        const dialog = page.getByRole('dialog', { name: 'Approve payout' })
        await dialog.getByText('What an approval does').waitFor()
        return dialog
      }
      const first = await openDialog()
      await first.getByText('$10,500.00 to $10,100.00').waitFor()
      expect(await first.getByRole('list', { name: 'Warnings' }).getByText('profit').count()).toBe(0)
      await page.keyboard.press('Control+Enter')
      await expectToast('Payout approved successfully')
      const { balance } = read(OwnAccount, await trader.get('/api/user/account', await site.portal.atEnd()))
      expect(balance).toBe('10100.00')

      await ask()
      await rows(page).first().getByText('Pending').waitFor()
      const second = await openDialog()
      await second
        .getByRole('list', { name: 'Warnings' })
        .getByText('Of the profit of $500.00, $400.00 are approved already: the amount is $300.00 above the rest.')
        .waitFor()
      await page.keyboard.press('Control+Enter')
      await second.waitFor({ state: 'detached' })

      const own = await site.visit({ as: trader })
      await own.open('/payouts')
      const figure = (name: string) =>
        own.page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd').innerText()
      await own.page.getByText('2, $800.00').waitFor()
      expect(await figure('Approved, to be paid')).toContain('$800.00')
      expect(await figure('Profit left')).toBe('$0.00')
    })

    it('finds what is to be paid by method, age, reference and batch, and takes only that as a file', async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, 'Three Ways', ['110.00', '120.00', '130.00'])
      const other = { amount: '140.00', paymentMethod: 'paypal', destination: { email: 'ways@example.com' } }
      await trader.post('/api/user/payouts', other)
      const request = (await payoutsOf(trader)).toReversed()
      const ids = request.map(({ id }) => id)
      for (const id of ids) await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
      await admin.patch(`/api/admin/payouts/${ids[0]}/payment`, { state: 'paid', reference: 'wire 7' })
      const { body } = await admin.post('/api/admin/batches', {
        ...{ format: 'csv', currency: 'USD', payouts: [ids[1]] },
      })
      const batch = String(Object(body).id)

      const { page, open, expectGoodLook } = await site.visit({ as: admin })
      await open(`/admin/payouts?of=${trader.id}&sort=amount`)
      await shows(page, ['$110.00', '$120.00', '$130.00', '$140.00'])
      await openFilters(page)
      await page.getByLabel('Payment', { exact: true }).selectOption('To be paid')
      await shows(page, ['$130.00', '$140.00'])
      await page.getByLabel('Method', { exact: true }).selectOption('PayPal')
      await shows(page, ['$140.00'])
      const figures = page.getByRole('group', { name: 'Filtered payouts in figures' })
      await figures.getByText('$140.00').first().waitFor()
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Export CSV' }).click()
      const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n')
      expect(lines).toHaveLength(2)
      expect(lines[1]).toContain('140.00')
      await page.getByLabel('Waiting').selectOption('Over 1 day')
      await page.getByText('No payout requests found').waitFor()
      await open(`/admin/payouts?of=${trader.id}&payment=paid`)
      await shows(page, ['$110.00'])
      await rows(page).first().getByRole('button', { name: 'Actions for Three Ways' }).click()
      await page.getByRole('menuitem', { name: 'Payment and Hold' }).click()
      await page.getByRole('dialog', { name: 'Payment and Hold' }).getByText('wire 7').waitFor()

      await open(`/admin/payouts/batches/${batch}`)
      await page.getByRole('link', { name: 'Its payouts' }).click()
      await shows(page, ['$120.00'])
      await page.getByRole('link', { name: 'one batch' }).waitFor()
      await expectGoodLook()
      await page.getByRole('button', { name: 'Show all' }).click()
      await until(async () => (await rows(page).count()) > 1, 'all payouts')
    })

    it('finds what has one of two approvals', async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, 'Half Approved', ['6000.00', '7000.00', '80.00'])
      const [first = ''] = (await payoutsOf(trader)).toReversed().map(({ id }) => id)
      await admin.patch(`/api/admin/payouts/${first}`, { status: 'approved' })
      const { page, open } = await site.visit({ as: admin })
      await open(`/admin/payouts?of=${trader.id}&sort=amount`)
      await shows(page, ['$80.00', '$6,000.00', '$7,000.00'])
      await openFilters(page)
      await page.getByLabel('Approvals').selectOption('1 of 2')
      await shows(page, ['$6,000.00'])
      await rows(page).first().getByText('1 of 2').waitFor()
    })
  },
  { environment: { SECOND_APPROVAL_ABOVE: '5000' } },
)
