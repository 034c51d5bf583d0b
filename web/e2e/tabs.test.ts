import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { until } from '#test-support/until.ts'
import { describeSite, openNavigation, signIn } from './kit.ts'

const signOut = async (page: Page) => {
  await openNavigation(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
}

describeSite('tabs of one browser', (site) => {
  it('cancel their unfinished reads when one of them signs out', async () => {
    const { page, context, open } = await site.visit({ as: await site.portal.trader() })
    let signedOut = () => {}
    const isSignedOut = new Promise<void>((resolve) => (signedOut = resolve))
    // Without a cancellation, the server refuses these reads and the browser reports a 401.
    const held: Promise<void>[] = []
    await context.route('**/api/user/account', (route) => {
      held.push(isSignedOut.then(() => route.continue()).catch(() => {}))
    })
    await open('/')
    const other = await context.newPage()
    await other.goto('/')
    await other.getByRole('heading', { level: 1 }).waitFor()
    await until(() => Promise.resolve(held.length === 2), 'the reads of both tabs')
    await signOut(page)
    await page.waitForURL('/auth')
    await other.waitForURL('/auth')
    signedOut()
    await Promise.all(held)
    for (const tab of [page, other]) expect(await tab.getByRole('listitem').count(), 'toasts').toBe(0)
  })

  it('are all signed out by one', async () => {
    const { page, context, open } = await site.visit({ as: await site.portal.trader() })
    await open('/')
    const other = await context.newPage()
    await other.goto('/settings')
    await other.getByRole('heading', { name: 'Settings' }).waitFor()
    await signOut(page)
    await other.waitForURL('/auth')
    await other.getByRole('tab', { name: 'Login', selected: true }).waitFor()
    expect(await other.getByRole('listitem').count(), 'toasts: nothing went wrong').toBe(0)
  })

  it('all leave the administration on sign-out, and keep a trader signed in', async () => {
    const { page, context, open } = await site.visit({ as: await site.portal.trader({ fullName: 'Rosa Staying' }) })
    await open('/')
    const [one, another] = await Promise.all([context.newPage(), context.newPage()])
    await page.evaluate(
      (accessKey) =>
        fetch('/api/admin/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ accessKey }),
        }),
      site.portal.adminKey,
    )
    for (const tab of [one, another]) {
      await tab.goto('/admin/users')
      await tab.getByRole('table', { name: 'Users' }).waitFor()
    }
    await signOut(one)
    await another.waitForURL('/')
    await page.getByRole('heading', { name: "Rosa's Dashboard" }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
  })

  it('all show the trader who signed in last', async () => {
    const [first, second] = await Promise.all([
      site.portal.trader({ fullName: 'Frida First' }),
      site.portal.trader({ fullName: 'Sven Second' }),
    ])
    const { page, context, open, allowStatus } = await site.visit({ as: first })
    // The other tab may read between the two sessions.
    allowStatus(401)
    await open('/')
    const other = await context.newPage()
    await other.goto('/')
    await other.getByRole('heading', { name: "Frida's Dashboard" }).waitFor()
    await signOut(page)
    await page.waitForURL('/auth')
    await signIn(page, second)
    await other.getByRole('heading', { name: "Sven's Dashboard" }).waitFor()
    expect(await other.locator('body').innerText()).not.toContain('Frida')
  })
})

describeSite('one tab with several sessions in turn', (site) => {
  it('never shows data of the previous trader to the next one', async () => {
    const [last, next, admin] = await Promise.all([
      site.portal.trader({ fullName: 'Lena Last' }),
      site.portal.trader({ fullName: 'Nils Next' }),
      site.portal.admin(),
    ])
    await admin.patch(`/api/admin/user/${last.id}/account`, {
      balance: '12345.67',
      status: 'active',
      phase: 'Funded',
      login: '70809010',
    })
    const { page, open } = await site.visit({ as: last })
    await open('/')
    await page.getByText('$12,345.67').first().waitFor()
    await signOut(page)
    await page.waitForURL('/auth')
    let answer = () => {}
    const isAsked = new Promise<void>((resolve) => {
      void page.route('**/api/user/account', async (route) => {
        resolve()
        await new Promise<void>((go) => (answer = go))
        await route.continue()
      })
    })
    await signIn(page, next)
    await page.waitForURL('/')
    await isAsked
    await page.getByRole('heading', { name: "Nils's Dashboard" }).waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/Lena|12,345|Funded/)
    answer()
    await page.getByText('$0.00').first().waitFor()
  })

  it('says that the session ended, and returns to the page after sign-in', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    allowStatus(401)
    await open('/settings')
    await openNavigation(page)
    // The same session, ended from elsewhere.
    await trader.post('/api/logout')
    // Hovering a link preloads its page: the refusal may arrive before the click.
    await Promise.race([page.waitForURL('/auth'), page.getByRole('link', { name: 'Certificates' }).click()])
    await page.waitForURL('/auth')
    await expectToast(
      'Session ended',
      'It was ended elsewhere: by a sign-out, a change of how you sign in, or your firm. Please sign in again.',
    )
    await signIn(page, trader)
    await page.waitForURL(/\/(settings|certificates)$/)
    await page.getByRole('heading', { name: /^(Settings|Certificates)$/, level: 1 }).waitFor()
  })

  it('show nothing of the person before, who signed out and went back', async () => {
    const trader = await site.portal.trader()
    const { page, open, allowStatus } = await site.visit({ as: trader })
    allowStatus(401)
    await open('/')
    await page.getByRole('heading', { name: "Ada's Dashboard" }).waitFor()
    await page.goto('/robots.txt')
    // The same session, ended from elsewhere.
    await trader.post('/api/logout')
    await page.goBack({ waitUntil: 'commit' })
    await page.waitForURL('/auth')
    expect(await page.locator('body').innerText()).not.toContain('Ada')
  })

  it('show the person who signed in elsewhere while they were loading', async () => {
    const [first, second] = await Promise.all([
      site.portal.trader({ fullName: 'Frida First' }),
      site.portal.trader({ fullName: 'Sven Second' }),
    ])
    const { page, context, open } = await site.visit({ as: first })
    await open('/settings')
    const loading = await context.newPage()
    let go = () => {}
    const signedIn = new Promise<void>((resolve) => (go = resolve))
    await loading.route('**/assets/*.js', async (route) => {
      await signedIn
      // Of a page that was left it is no longer there.
      await route.continue().catch(() => {})
    })
    await loading.goto('/', { waitUntil: 'commit' })
    await signOut(page)
    await page.waitForURL('/auth')
    await signIn(page, second)
    await page.getByRole('heading', { name: "Sven's Dashboard" }).waitFor()
    go()
    await loading.getByRole('heading', { name: "Sven's Dashboard" }).waitFor()
    expect(await loading.locator('body').innerText()).not.toContain('Frida')
  })
})
