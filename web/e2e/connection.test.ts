import { expect, it } from 'vitest'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'

describeSite(
  'a lost connection',
  (site) => {
    it('keeps the page, says why nothing is sent, and recovers by itself', async () => {
      const admin = await site.portal.admin()
      const trader = await eligibleTrader(site.portal, admin)
      const { page, context, open, allowNetworkErrors, expectToast, expectGoodLook } = await site.visit({ as: trader })
      allowNetworkErrors()
      await open('/payouts')
      await page.getByLabel('Amount').fill('20')
      await page.getByLabel('Payment Method').selectOption('PayPal')
      await context.setOffline(true)
      const line = page.getByText('You are offline. This page waits for the connection.')
      await line.waitFor()
      await page.getByRole('button', { name: 'Request Payout' }).click()
      await page
        .locator('form')
        .getByText('You are offline. Nothing was sent. Please try again when the connection is back.')
        .waitFor()
      await expectGoodLook()
      expect(await page.getByLabel('Amount').inputValue()).toBe('20')

      // A page whose code is not loaded yet: the frame stays, and there is a way on.
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Certificates' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
      await page.getByText('This page could not be loaded').last().waitFor()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Payouts' }).waitFor()
      await context.setOffline(false)
      await line.waitFor({ state: 'detached' })
      await page.getByText('No certificates yet', { exact: false }).waitFor()

      // The form sends again what it could not send.
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Payouts' }).click()
      await page.getByLabel('Amount').fill('20')
      await page.getByLabel('Payment Method').selectOption('PayPal')
      await page.getByRole('button', { name: 'Request Payout' }).click()
      await expectToast('Payout requested')
    })

    it('is noticed also where only the server is away', async () => {
      const trader = await site.portal.trader()
      const { page, open, allowNetworkErrors } = await site.visit({ as: trader })
      allowNetworkErrors()
      await open('/')
      await page.route('**/*', (route) => route.abort('connectionrefused'))
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Connection lost. Reconnecting…').waitFor()
      await page.unroute('**/*')
      await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    })

    it('is not mixed up with a breach, which names a contact, or a ban, which is a page with its reason and a contact', async () => {
      const admin = await site.portal.admin()
      const trader = await site.portal.trader()
      const { page, open, allowStatus, expectToast, expectGoodLook } = await site.visit({ as: trader })
      allowStatus(401, 403)
      await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'breached' })
      await open('/')
      const notice = page.getByRole('region', { name: 'This account is breached' })
      await notice.getByRole('link', { name: 'help@firm.example' }).waitFor()
      await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Account sharing' })
      await page.getByRole('heading', { level: 1, name: 'Account Banned' }).waitFor()
      await expectToast('Account Banned', 'Your account has been banned: Account sharing')
      await page.getByRole('main').getByText('Account sharing', { exact: true }).waitFor()
      expect(await page.getByRole('link', { name: 'help@firm.example' }).getAttribute('href')).toBe(
        'mailto:help@firm.example',
      )
      await expectGoodLook()
      await page.getByRole('button', { name: 'Back to Login' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sign in to Proofdesk' }).waitFor()
    })
  },
  { environment: { SUPPORT_EMAIL: 'help@firm.example' } },
)
