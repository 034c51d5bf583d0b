import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { createUsers } from './admin-people.ts'
import { describeSite, openNavigation, seeInNavigation } from './kit.ts'

/** What the style sheets and the theme make of the page. */
const paintedLook = (page: Page) =>
  page.evaluate(() => ({
    theme: document.documentElement.dataset['theme'],
    font: getComputedStyle(document.body).fontFamily,
    rules: [...document.styleSheets].reduce((sum, { cssRules }) => sum + cssRules.length, 0),
  }))

/** The server gets the next request to this address, and the page no answer. */
const loseAnswer = (page: Page, address: string) =>
  page.route(
    address,
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )

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
      await openNavigation(page)
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Certificates' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
      await page.getByText('This page could not be loaded').last().waitFor()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await seeInNavigation(page, 'Payouts')
      await context.setOffline(false)
      await line.waitFor({ state: 'detached' })
      await page.getByText('No certificates yet', { exact: false }).waitFor()

      // The form sends again what it could not send.
      await openNavigation(page)
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
      await openNavigation(page)
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Connection lost. Reconnecting…').waitFor()
      await page.unroute('**/*')
      await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    })

    it(
      'in the middle of a load ends no load: the page recovers by itself, whichever request it cut',
      { timeout: 300_000 },
      async () => {
        const trader = await eligibleTrader(site.portal, await site.portal.admin())
        const loads = [
          {
            path: '/auth',
            as: undefined,
            shows: (page: Page) => page.getByRole('button', { name: 'Login', exact: true }),
          },
          { path: '/', as: trader, shows: (page: Page) => page.getByText('Current Profit') },
        ]
        for (const { path, as, shows } of loads) {
          /** Loads the page; `cut` is called with each request, and cuts it by returning true. */
          const load = async (cut: (address: string) => boolean) => {
            const { page, context, allowNetworkErrors } = await site.visit(as && { as })
            allowNetworkErrors()
            await page.route('**/*', (route) =>
              cut(new URL(route.request().url()).pathname) ? route.abort('internetdisconnected') : route.continue(),
            )
            await page.goto(path)
            return { page, context }
          }
          const requested = new Set<string>()
          const whole = await load((address) => !requested.add(address))
          await shows(whole.page).waitFor()
          const look = await paintedLook(whole.page)
          await whole.context.close()
          requested.delete(path)

          for (const address of requested) {
            let cuts = 0
            const { page, context } = await load((request) => request === address && cuts++ === 0)
            await shows(page)
              .waitFor({ timeout: 20_000 })
              .catch((error: unknown) => {
                throw new Error(`${path} shows nothing when ${address} is cut`, { cause: error })
              })
            // A style sheet that was cut comes a little later.
            await expect.poll(() => paintedLook(page), { message: `${address} is cut` }).toEqual(look)
            expect(await page.getByText('Try again').count(), `${address} is cut`).toBe(0)
            await context.close()
          }
        }
      },
    )

    it('that takes the answer along leaves the outcome open, and the same again takes effect once', async () => {
      const trader = await site.portal.trader()
      const { page, open, allowNetworkErrors, expectToast } = await site.visit({ as: trader })
      allowNetworkErrors()
      await open('/settings')
      await page.getByLabel('Current Password').fill(trader.password)
      await page.getByLabel('New Password', { exact: true }).fill('a newer horse battery')
      await page.getByLabel('Confirm Password').fill('a newer horse battery')
      await loseAnswer(page, '**/api/user/change-password')
      const change = page.getByRole('button', { name: 'Update Password' })
      await change.click()
      await page.locator('form').getByText('it is not known whether this arrived', { exact: false }).waitFor()
      await change.click()
      await expectToast('Password updated')
      const events = await site.portal.events(`user-${trader.id}`)
      expect(events.filter(({ type }) => type === 'PasswordChanged')).toHaveLength(1)
    })

    it('that takes a new key along offers to replace it', async () => {
      const admin = await site.portal.admin()
      const { page, open, allowNetworkErrors } = await site.visit({ as: admin })
      allowNetworkErrors()
      await open('/admin/staff')
      await page.getByRole('button', { name: 'Add Member' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Lost Key')
      await dialog.getByLabel('Role').selectOption('support')
      await loseAnswer(page, '**/api/admin/staff')
      const add = dialog.getByRole('button', { name: 'Add Member' })
      await add.click()
      await dialog.getByText('it is not known whether this arrived', { exact: false }).waitFor()
      await add.click()
      await dialog.getByText('The new access key did not arrive').waitFor()
      await dialog.getByRole('button', { name: 'Replace Key' }).click()
      const key = await dialog.getByTestId('new-access-key').textContent()
      expect((await site.portal.browser().post('/api/admin/login', { accessKey: key?.trim() })).status).toBe(200)
      const members = (await site.portal.events()).filter(
        ({ type, data }) => type === 'AdminKeyIssued' && 'label' in data && data.label === 'Lost Key',
      )
      expect(members).toHaveLength(1)
    })

    it('that ends before any code arrives leaves a way on', async () => {
      const { page, allowNetworkErrors } = await site.visit()
      allowNetworkErrors()
      let isCut = true
      await page.route(/\/(assets\/.*|before-app\.js|robots\.txt)$/, (route) =>
        isCut ? route.abort('internetdisconnected') : route.continue(),
      )
      await page.goto('/auth')
      const tryAgain = page.getByRole('link', { name: 'Try again' })
      await tryAgain.waitFor()
      isCut = false
      await tryAgain.click()
      await page.getByRole('button', { name: 'Login', exact: true }).waitFor()
    })

    it('does not take what is typed, when it cuts the code of a dialog', async () => {
      const admin = await site.portal.admin()
      const [user] = await createUsers(admin, ['Cut Connection'])
      const { page, open, allowNetworkErrors } = await site.visit({ as: admin })
      allowNetworkErrors()
      await open('/admin/users')
      let cuts = 0
      await page.route('**/assets/*.js', (route) =>
        cuts++ === 0 ? route.abort('internetdisconnected') : route.continue(),
      )
      await page.getByLabel('Search').fill('Cut Connection')
      await page.getByRole('button', { name: 'Actions for Cut Connection' }).click()
      await page.getByRole('menuitem', { name: 'View Full Details' }).click()
      await page
        .getByRole('dialog')
        .getByText(user?.email ?? 'no user')
        .first()
        .waitFor()
      expect(cuts).toBeGreaterThan(0)
      expect(await page.getByLabel('Search').inputValue()).toBe('Cut Connection')
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
