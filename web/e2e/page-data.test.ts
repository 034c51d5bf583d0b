import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { PAGE_DATA_ID, POSITION_HEADER, SESSION_COOKIE } from '../../services/api/headers.ts'
import type { Browser } from '../../test-support/http-client.ts'
import { until } from '../../test-support/until.ts'
import { describeSite, signIn } from './kit.ts'
import { tradingAccount } from './trading.ts'

const Carried = z.array(z.object({ path: z.string(), position: z.string().nullable(), body: z.record(z.string(), z.unknown()) }))

/** The answers in a page. */
function dataIn(html: string) {
  const [, json] = new RegExp(`<script type="application/json" id="${PAGE_DATA_ID}">(.*?)</script>`).exec(html) ?? []
  return json === undefined ? undefined : Carried.parse(JSON.parse(json))
}

/** The data of a page that got it in time: a busy machine may answer without, or without a part. */
const dataOf = (browser: Browser, path: string, answers: number) =>
  until(async () => {
    const data = dataIn((await browser.get(path)).text)
    return data?.length === answers && data
  }, `the data of ${path}`)

const HOSTILE = '</script><script>document.title="owned"</script><!--\u2028-->'

describeSite('the first data in a page', (site) => {
  it('is what the calls answer to the same person, and to no other', async () => {
    const [{ trader, admin }, other] = await Promise.all([tradingAccount(site.portal), site.portal.trader()])
    for (const [browser, path, reads] of [
      [trader, '/', ['/api/user', '/api/user/account']],
      [other, '/?tab=details', ['/api/user', '/api/user/account']],
      [trader, '/settings', ['/api/user']],
      [admin, '/admin/users', ['/api/admin/auth']],
    ] as const) {
      const carried = await dataOf(browser, path, reads.length)
      const answers = await Promise.all(reads.map(async (read) => ({ path: read, body: (await browser.get(read)).body })))
      expect(carried.map(({ path: read, body }) => ({ path: read, body }))).toEqual(answers)
      for (const { path: read, position } of carried)
        expect([read, position]).toEqual([read, read === '/api/admin/auth' ? null : expect.stringMatching(/^\d+$/)])
    }
    const both = { ...trader, get: (path: string) => trader.get(path, { headers: { cookie: cookieOf(trader, admin) } }) }
    expect(JSON.stringify(await dataOf(both, '/', 2))).not.toContain('isAdmin')
    expect(JSON.stringify(await dataOf(both, '/admin', 1))).not.toContain(trader.email)
  })

  it('is left out without an open session, for banned traders, behind the last change, and where nobody needs a session', async () => {
    const [trader, banned, admin] = await Promise.all([site.portal.trader(), site.portal.trader(), site.portal.admin()])
    await admin.patch(`/api/admin/user/${banned.id}/ban`, { banned: true, banReason: 'Copy trading' })
    await until(async () => (await banned.get('/api/user')).status === 403, 'the ban')
    const former = { cookie: cookieOf(trader) }
    const plain = [
      () => banned.get('/'),
      () => trader.get('/auth'),
      () => trader.get('/', { headers: { [POSITION_HEADER]: '999999999999' } }),
      () => site.portal.browser().get('/', { headers: { cookie: `${SESSION_COOKIE}=made-up` } }),
      () => site.portal.browser().get('/'),
    ]
    const expectPlain = async (answer: Awaited<ReturnType<Browser['get']>>) => {
      expect([answer.status, dataIn(answer.text), answer.headers.get('cache-control')]).toEqual([200, undefined, 'no-cache'])
      expect(answer.text).not.toContain(PAGE_DATA_ID)
    }
    for (const ask of plain) await expectPlain(await ask())
    await dataOf(trader, '/', 2)
    await trader.post('/api/logout')
    await expectPlain(await site.portal.browser().get('/', { headers: former }))
  })

  it('cannot end its element', async () => {
    const trader = await site.portal.trader({ fullName: HOSTILE })
    const { page } = await site.visit({ as: trader })
    const html = await openWithData(page)
    expect(dataIn(html)?.[0]?.body).toMatchObject({ fullName: HOSTILE })
    expect(html).not.toMatch(/<\/script><script>document|owned\\?"<|\u2028/)
    await page.getByRole('heading', { level: 1, name: '</script>' }).waitFor()
    expect(await page.title()).not.toContain('owned')
  })

  it('is shown without a request, follows changes, and leaves with its person', async () => {
    const [{ trader, change }, next] = await Promise.all([tradingAccount(site.portal), site.portal.trader({ fullName: 'Nils Next' })])
    const { page } = await site.visit({ as: trader })
    const asked: string[] = []
    page.on('request', (request) => {
      // Another attempt to get a page with data.
      if (request.isNavigationRequest()) asked.length = 0
      asked.push(new URL(request.url()).pathname)
    })
    // Never answered: what the page shows is what it came with.
    await page.route(READS, () => {})
    await openWithData(page)
    await page.getByText('$380.00 away').waitFor()
    await page.getByRole('heading', { name: "Ada's Dashboard" }).waitFor()
    expect(asked).not.toContain('/api/user')
    expect(asked).not.toContain('/api/user/account')
    expect(await page.locator(`#${PAGE_DATA_ID}`).count()).toBe(0)

    await page.unroute(READS)
    await change({ balance: '9700.00', profitLoss: '-300.00' })
    await page.getByText('$200.00 away').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
    await signIn(page, next)
    await page.getByRole('heading', { name: "Nils's Dashboard" }).waitFor()
    await page.getByText('$0.00').first().waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/Ada|9,700|380\.00/)
    await page.reload()
    await page.getByRole('heading', { name: "Nils's Dashboard" }).waitFor()
    await page.getByText('$0.00').first().waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/Ada|9,700|380\.00/)
  })

  it('is not what the back button shows after a sign-out', async () => {
    const trader = await site.portal.trader()
    const { page, allowStatus } = await site.visit({ as: trader })
    allowStatus(401)
    await openWithData(page)
    await page.getByRole('heading', { name: "Ada's Dashboard" }).waitFor()
    await page.goto('/robots.txt')
    // The same session, ended from elsewhere.
    await trader.post('/api/logout')
    await page.goBack({ waitUntil: 'commit' })
    await page.waitForURL('/auth')
    expect(await page.locator('body').innerText()).not.toContain('Ada')
  })

  it('is dropped when another tab signs in while the page loads', async () => {
    const [first, second] = await Promise.all([site.portal.trader({ fullName: 'Frida First' }), site.portal.trader({ fullName: 'Sven Second' })])
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
    expect(await openWithData(loading)).toContain('Frida First')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
    await signIn(page, second)
    await page.getByRole('heading', { name: "Sven's Dashboard" }).waitFor()
    go()
    await loading.getByRole('heading', { name: "Sven's Dashboard" }).waitFor()
    expect(await loading.locator('body').innerText()).not.toContain('Frida')
  })
})

/** What the dashboard's data answers. */
const READS = /\/api\/user(\/account)?$/

/** Opens the dashboard with its data: a busy machine may answer without, or without a part. */
async function openWithData(page: Page): Promise<string> {
  return until(async () => {
    const html = (await (await page.goto('/', { waitUntil: 'commit' }))?.text()) ?? ''
    return dataIn(html)?.length === 2 && html
  }, 'a page with data')
}

function cookieOf(...browsers: readonly Browser[]): string {
  return browsers.flatMap(({ cookies }) => [...cookies].map(([name, value]) => `${name}=${value}`)).join('; ')
}
