import { expect, it } from 'vitest'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import { newEmail } from '#test-support/portal.ts'
import { describeSite, openNavigation, seeInNavigation, signIn } from './kit.ts'
import { tradingAccount } from './trading.ts'

/** Problems that traders met on their screens, each as they met it. */
describeSite('a trader', (site) => {
  it('reads no sum of requests that are still loading, and that they failed where they did, with a way to ask again', async () => {
    const trader = await eligibleTrader(site.portal, await site.portal.admin())
    const { page, open, allowStatus, expectAccessible } = await site.visit({ as: trader })
    allowStatus(500)
    let answers = false
    await page.route('**/api/user/payouts/summary*', (route) =>
      answers ? route.continue() : route.fulfill({ status: 500, json: { message: 'Out of order' } }),
    )
    await open('/payouts')
    const card = page.locator('section').filter({ hasText: 'Request a payout' })
    await card.getByText('Profit now').waitFor()
    expect(await card.getByText('None', { exact: true }).count()).toBe(0)
    await card.getByText('These figures are missing.').waitFor()
    expect(await card.getByText('None', { exact: true }).count()).toBe(0)
    expect(await card.getByText('Could not be loaded', { exact: true }).count()).toBe(5)
    await expectAccessible()
    answers = true
    await card.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => card.getByText('None', { exact: true }).count()).toBe(3)
  })

  it('is not told that the registration failed after the sign-in that followed it', async () => {
    const known = await site.portal.trader()
    const { page, open, allowStatus, expectToast } = await site.visit()
    allowStatus(409)
    await open('/auth#register')
    await page.getByLabel('Full Name').fill('Grace Hopper')
    await page.getByLabel('Email', { exact: true }).fill(known.email)
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByLabel('Confirm Password', { exact: true }).fill('correct horse')
    await page.getByLabel('Country').selectOption('us')
    for (const field of ['City', 'Street', 'House Number']) await page.getByLabel(field).fill('1')
    await page.getByLabel('I agree to the privacy policy').check()
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expectToast('Registration failed')
    await page.getByLabel('Email', { exact: true }).fill(newEmail())
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await page.waitForURL('/')
    await seeInNavigation(page, 'History')
    await page.getByText('Registration failed').waitFor({ state: 'detached' })
  })

  it('in an evaluation reads that payouts begin with a funded account', async () => {
    const { trader } = await tradingAccount(site.portal)
    const { page, open } = await site.visit({ as: trader })
    await open('/payouts')
    await page.getByText('Payouts not available').waitFor()
    const said = page.getByText(
      'Payouts begin with a funded account. This one is in Phase 1: reach its profit target first.',
    )
    await expect.poll(() => said.count()).toBe(2)
  })

  it('reads in a notice how much was approved', async () => {
    const admin = await site.portal.admin()
    const trader = await eligibleTrader(site.portal, admin)
    const request = await trader.post('/api/user/payouts', { amount: '1250.50', paymentMethod: 'bank' })
    const id = String(Object(request.body)['id'])
    await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('button', { name: /^Notices/ }).click()
    await page.getByRole('dialog', { name: 'Notices' }).getByText('Payout approved: $1,250.50').waitFor()
  })

  it('sees in the chart that a breach was a mistake', async () => {
    const { trader, change } = await tradingAccount(site.portal)
    const breach = await change({ status: 'breached', reason: 'The daily drawdown' })
    const account = read(OwnAccount, await trader.get('/api/user/account', after(breach)))
    await change({ status: 'active', reason: 'A wrong price', corrects: account.stamps.status?.number })
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    const chart = page.locator('section').filter({ hasText: 'Performance' }).last()
    await chart.getByText('Breach corrected').or(chart.getByText('Breach, a mistake')).first().waitFor()
    expect(await chart.getByText('Breached', { exact: true }).count()).toBe(0)
  })

  it('gives the password for a new email, and confirms the address by the mailed link', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, expectAccessible } = await site.visit({ as: trader })
    await open('/settings')
    await page.getByText('Not confirmed: open the link that we mailed you.').waitFor()
    const email = newEmail()
    await page.getByLabel('Email', { exact: true }).fill(email)
    const password = page.locator('form').filter({ hasText: 'Full Name' }).getByLabel('Current Password')
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.getByText('Current password is required').waitFor()
    await password.fill(trader.password)
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Profile updated')
    const mail = await site.portal.mailWith(email, ({ text }) => text?.includes('/confirm-email?token=') ?? false)
    const [, token = ''] = /\/confirm-email\?token=([^\s"&<]+)/.exec(mail.text ?? '') ?? []
    await open(`/confirm-email?token=${token}`)
    expect(page.url()).not.toContain('token')
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByText('Your email address is confirmed.', { exact: false }).waitFor()
    await expectAccessible()
    await open('/settings')
    await page.getByLabel('Email', { exact: true }).waitFor()
    expect(await page.getByText('Not confirmed').count()).toBe(0)
  })

  it('reaches the target of a link by signing in, and after signing out the start', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit()
    await open('/certificates?scope=all')
    await page.waitForURL('/auth')
    await signIn(page, trader)
    await page.waitForURL('/certificates?scope=all')
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
    await signIn(page, trader)
    await page.waitForURL('/')
  })

  it('waits on the dashboard for no code of histories and forms', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await open('/')
    await page.getByText('Account Balance').first().waitFor()
    await seeInNavigation(page, 'History')
    expect(loaded.some((url) => /\/assets\/dashboard-page-/.test(url))).toBe(true)
    const scripts = loaded.filter((url) => url.endsWith('.js'))
    for (const code of await Promise.all(scripts.map(async (url) => (await page.request.get(url)).text())))
      // Of immutable and temporal-polyfill, which histories need, and of react-hook-form.
      expect(code).not.toMatch(/@@__IMMUTABLE|ZonedDateTime|shouldUnregister/)
  })
})
