import { expect, it } from 'vitest'
import type { Browser } from '#test-support/http-client.ts'
import type { Trader } from '#test-support/portal.ts'
import { describeSite, openNavigation } from './kit.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

describeSite('sessions', (site) => {
  const signIn = async ({ email, password }: Trader, userAgent: string): Promise<Browser> => {
    const browser = site.portal.browser()
    await browser.post('/api/login', { email, password }, { headers: { 'user-agent': userAgent } })
    return browser
  }
  const statusOf = async (browser: Browser) => (await browser.get('/api/user')).status

  it('of a trader are listed in settings, and ended one by one or together', async () => {
    const trader = await site.portal.trader()
    const [phone, firefox, other] = [
      await signIn(trader, IPHONE),
      await signIn(trader, FIREFOX),
      await signIn(trader, FIREFOX),
    ]
    const { page, open, expectToast, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/settings')
    const list = page.getByRole('list', { name: 'Sessions' })
    await list.getByText('Safari on iPhone').waitFor()
    await expect.poll(() => list.getByRole('listitem').count()).toBe(4)
    await expect.poll(() => list.getByText('This browser').count()).toBe(1)
    await expectGoodLook()
    await expectNoSidewaysScroll(320)

    const endings = page.getByRole('button', {
      name: /^Sign Out (Firefox on Linux|Safari on iPhone) .+Since .+, last seen /,
    })
    expect(await endings.count()).toBe(3)
    await page.getByRole('button', { name: 'Sign Out Safari on iPhone' }).click()
    await expectToast('Signed out', 'Pages that were open there are closed.')
    await list.getByText('Safari on iPhone').waitFor({ state: 'detached' })
    expect([await statusOf(phone), await statusOf(firefox), await statusOf(other)]).toEqual([401, 200, 200])

    await page.getByRole('button', { name: 'Sign Out All Others' }).click()
    await list.getByText('Firefox on Linux').first().waitFor({ state: 'detached' })
    expect([await statusOf(firefox), await statusOf(other), await statusOf(trader)]).toEqual([401, 401, 200])
    expect(await page.getByRole('button', { name: 'Sign Out All Others' }).count()).toBe(0)
  })

  it('end open pages when an administrator signs the trader out', async () => {
    const [trader, admin] = await Promise.all([
      site.portal.trader({ fullName: 'Mary Somerville' }),
      site.portal.admin(),
    ])
    const traders = await site.visit({ as: trader })
    traders.allowStatus(401)
    const listening = traders.page.waitForResponse('**/api/live*')
    await traders.open('/settings')
    await listening
    const { page, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await page.goto(`/admin/users?user=${trader.id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('list', { name: 'Sessions' }).getByRole('listitem').first().waitFor()
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Sign Out Everywhere' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('Sign Mary Somerville out everywhere').waitFor()
    await question.getByRole('button', { name: 'Sign Out Everywhere' }).click()
    await expectToast('Signed out everywhere', 'Mary Somerville has to sign in again.')
    await dialog.getByText('Not signed in anywhere').waitFor()
    await traders.page.waitForURL('**/auth')
    await traders.expectToast(
      'Session ended',
      'It was ended elsewhere: by a sign-out, a change of how you sign in, or your firm. Please sign in again.',
    )
  })

  it('that the browser dropped were not ended elsewhere', async () => {
    const { page, open, expectToast, allowStatus } = await site.visit({ as: await site.portal.trader() })
    allowStatus(401)
    await open('/settings')
    // As at the age that a cookie may reach.
    await page.context().clearCookies()
    await openNavigation(page)
    await page.getByRole('link', { name: 'Payouts' }).click()
    await page.waitForURL('**/auth')
    await expectToast(
      'Session ended',
      'Your browser does not have it any more: it was as old as a session may be, or cookies were deleted. Please sign in again.',
    )
  })

  it('of an access key are listed on the security page', async () => {
    const [admin, other] = [await site.portal.admin(), await site.portal.admin()]
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/security')
    const list = page.getByRole('list', { name: 'Sessions' })
    await list.getByText('This browser').waitFor()
    await expectGoodLook()
    await page
      .getByRole('button', { name: /^Sign Out (All Others|.+ last seen )/ })
      .first()
      .click()
    await expectToast('Signed out')
    await list.getByText('This browser').waitFor()
    expect((await admin.get('/api/admin/stats')).status).toBe(200)
    expect((await other.get('/api/admin/stats')).status).toBe(401)
  })

  it('survive their own change of password, in every tab', async () => {
    const trader = await site.portal.trader()
    const { page, context, open, expectToast } = await site.visit({ as: trader })
    const tab = await context.newPage()
    const listening = tab.waitForResponse('**/api/live*')
    await tab.goto('/payouts')
    await listening
    await open('/settings')
    await page.getByLabel('Current Password', { exact: true }).fill(trader.password)
    for (const label of ['New Password', 'Confirm Password'])
      await page.getByLabel(label, { exact: true }).fill('a better horse')
    await page.getByRole('button', { name: 'Update Password' }).click()
    await expectToast('Password updated', 'Your password has been updated successfully.')
    // Both tabs go on: the live stream of each has begun again with the new cookie.
    await tab.waitForResponse('**/api/live*')
    await tab.reload()
    await tab.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  })
})
