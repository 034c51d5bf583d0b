import type { Page, Request, Route } from 'playwright-core'
import { it } from 'vitest'
import { SHOWN_HEADER } from '#services/framework/api/headers.ts'
import { describeSite, openNavigation } from './kit.ts'
import { tradingAccount } from './trading.ts'

/** Where the account on the first page is read. */
const ACCOUNT = '/api/user/account'
const SHOWN = SHOWN_HEADER.toLowerCase()

/** Waits until a request ends in any way. */
const endOf = (page: Page, ended: Request) =>
  Promise.race([
    page.waitForEvent('requestfinished', (request) => request === ended),
    page.waitForEvent('requestfailed', (request) => request === ended),
  ])

describeSite('a trader’s open page', (site) => {
  const trading = () => tradingAccount(site.portal)

  it('shows an administrator’s changes without a reload', async () => {
    const { trader, change } = await trading()
    const { page, open } = await site.visit({ as: trader })
    const listening = page.waitForResponse('**/api/live*')
    await open('/')
    await listening
    await page.getByRole('meter').first().waitFor()
    await change({ balance: '9700.00', profitLoss: '-300.00', status: 'under-review' })
    await page.getByText('$200.00 away').waitFor()
    await page.getByText('Under Review').first().waitFor()
  })

  it('shows changes made between its first read and its subscription', async () => {
    const { trader, change } = await trading()
    const { page, open } = await site.visit({ as: trader })
    let hold: (route: Route) => void = () => {}
    const held = new Promise<Route>((resolve) => {
      hold = resolve
    })
    await page.route('**/api/live*', (route) => hold(route), { times: 1 })
    await open('/')
    await page.getByText('$380.00 away').waitFor()
    const stream = await held
    await change({ balance: '9700.00', profitLoss: '-300.00' })
    await stream.continue()
    await page.getByText('$200.00 away').waitFor()
  })

  it('reads again when its service lags behind the announced position', async () => {
    const { trader, change } = await trading()
    const { page, open } = await site.visit({ as: trader })
    const listening = page.waitForResponse('**/api/live*')
    await open('/')
    await listening
    await page.getByText('$380.00 away').waitFor()
    const before = await page.request.get(new URL(ACCOUNT, page.url()).href)
    // More often than it learns of one change.
    await page.route(`**${ACCOUNT}`, (route) => route.fulfill({ response: before }), { times: 4 })
    const caughtUp = page.waitForResponse(
      (answer) => answer.url().endsWith(ACCOUNT) && answer.headers()[SHOWN] !== before.headers()[SHOWN],
    )
    await change({ status: 'under-review' })
    await caughtUp
  })

  it('leads a banned trader to sign-in with the reason', async () => {
    const { trader, admin } = await trading()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    allowStatus(403)
    const listening = page.waitForResponse('**/api/live*')
    await open('/account-sizes')
    await listening
    await page.getByRole('link', { name: 'Buy $5,000 Account' }).waitFor()
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Copy trading' })
    await page.waitForURL('/auth')
    await expectToast('Account Banned', 'Your account has been banned: Copy trading')
  })

  it('finds a trader’s pages in the palette', async () => {
    const { trader } = await trading()
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByText('Account Balance').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('master password')
    await page.getByRole('option', { name: 'See account details' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/?tab=details')
  })

  it('refreshes on focus while live updates are down', async () => {
    const { trader, change } = await trading()
    const { page, open, allowStatus } = await site.visit({ as: trader })
    allowStatus(503)
    await page.route('**/api/live*', (route) => route.fulfill({ status: 503, body: '' }))
    const refused = page.waitForResponse('**/api/live*')
    await open('/')
    await refused
    await page.getByText('$380.00 away').waitFor()
    await change({ balance: '9700.00', profitLoss: '-300.00' })
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await page.getByText('$200.00 away').waitFor()
  })

  it('stops listening at sign-out', async () => {
    const { trader } = await trading()
    const { page, open } = await site.visit({ as: trader })
    const listening = page.waitForRequest('**/api/live*')
    await open('/')
    const stream = await listening
    const over = page.waitForEvent('requestfailed', (request) => request === stream)
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
    await over
  })

  it('asks nothing more when its stream ends before the answer to its sign-out', async () => {
    const { trader } = await trading()
    const { page, open } = await site.visit({ as: trader })
    const listening = page.waitForRequest('**/api/live*')
    // A read that is still under way at the end of the session would be refused.
    const noticesRead = page.waitForResponse('**/api/user/notices')
    await open('/')
    const stream = await listening
    await noticesRead
    const ended = endOf(page, stream)
    await page.route('**/api/logout', async (route) => {
      const response = await route.fetch()
      await ended
      await route.fulfill({ response })
    })
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
  })

  it('gives up a stream that has not begun when it signs out', async () => {
    const { trader } = await trading()
    const { page, open } = await site.visit({ as: trader })
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    // Without that, the server refuses the stream and the browser reports a 401.
    await page.route('**/api/live*', async (route) => {
      await released
      await route.continue().catch(() => {})
    })
    const listening = page.waitForRequest('**/api/live*')
    // A read that is still under way then would be refused as well.
    const noticesRead = page.waitForResponse('**/api/user/notices')
    await open('/')
    const stream = await listening
    await noticesRead
    const over = endOf(page, stream)
    await page.route('**/api/logout', async (route) => {
      const response = await route.fetch()
      release()
      await over
      await route.fulfill({ response })
    })
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
  })
})
