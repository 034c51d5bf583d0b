import { it } from 'vitest'
import { describeSite, hold, openNavigation } from './kit.ts'

describeSite('leaving while a page loads', (site) => {
  it('shows the sign-in page after several refusals, although its guard still asks who is signed in', async () => {
    const admin = await site.portal.admin()
    const { page, open, follow, allowStatus } = await site.visit({ as: admin })
    allowStatus(401)
    await open('/admin/dashboard')
    const who = await hold(page, '**/api/user')
    const users = await hold(page, '**/api/admin/users*')
    const statistics = await hold(page, '**/api/admin/stats*')
    // The same session, ended from elsewhere.
    await admin.post('/api/admin/logout')
    await follow('/admin/users')
    await users.isAsked
    users.release()
    await who.isAsked
    statistics.release()
    await follow('/admin/payouts')
    who.release()
    await page.waitForURL('**/auth')
    await page
      .getByRole('heading', { name: 'Admin Login' })
      .or(page.getByRole('heading', { name: 'Sign in to Proofdesk' }))
      .waitFor()
  })

  it.each([1280, 390])('shows the sign-in page to a trader who signs out at %i px', async (width) => {
    const { page, open, follow } = await site.visit({ as: await site.portal.trader(), width })
    await open('/')
    // The queries of a page load beside it: what they ask is asked while its own code is on the way.
    const payouts = await hold(page, '**/api/user/payouts*')
    const payoutsPage = await hold(page, '**/assets/payouts-page-*.js')
    await follow('/payouts')
    await Promise.all([payouts.isAsked, payoutsPage.isAsked])
    const code = await hold(page, '**/assets/*.js')
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/auth')
    code.release()
    payoutsPage.release()
    payouts.release()
    await page.getByRole('heading', { name: 'Sign in to Proofdesk' }).waitFor()
  })

  it('shows the sign-in page when another tab signs out while this one asks who is signed in', async () => {
    const { page, context, open, allowStatus } = await site.visit({ as: await site.portal.trader() })
    // The answer of a server whom nobody is signed in to.
    allowStatus(401)
    await open('/')
    const loading = await context.newPage()
    const who = await hold(loading, '**/api/user')
    await loading.goto('/', { waitUntil: 'commit' })
    await who.isAsked
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/auth')
    who.release()
    await loading.getByRole('heading', { name: 'Sign in to Proofdesk' }).waitFor()
  })
})
