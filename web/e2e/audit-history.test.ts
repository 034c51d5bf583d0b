import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { livedThrough, numberOf, ownEvents, TWO_COLUMNS } from './audit-account.ts'
import { describeSite, narrowWidths, openNavigation } from './kit.ts'

describeSite('a trader’s history', (site) => {
  /** An account that all tests here only look at. */
  let shared: ReturnType<typeof readOnly> | undefined
  const readOnly = async () => {
    const trader = await livedThrough(site.portal, await site.portal.admin())
    return { trader, events: await ownEvents(trader) }
  }
  const breachedAccount = () => (shared ??= readOnly())

  it('shows events and past account states without administrators’ names', async () => {
    const { trader, events } = await breachedAccount()
    const { page, open } = await site.visit({ as: trader, minWidth: TWO_COLUMNS })
    await open('/')
    await openNavigation(page)
    await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'History' }).click()
    await page.waitForURL('**/history')
    expect(await page.title()).toBe('History · Proofdesk')
    const timeline = page.getByRole('list', { name: 'Timeline, newest first' })
    await timeline.getByText('Why: Proof of address is missing').waitFor()
    await timeline.getByText('Signed up', { exact: true }).waitFor()
    // Decisions come first. The deposit is no trading: it stands on its own.
    expect(await timeline.getByText('Balance changed').count()).toBe(0)
    await page.getByLabel('Kind').selectOption('Everything')
    await timeline.locator('li', { hasText: '$0.00 → $5,000.00' }).first().waitFor()
    const trading = timeline.locator('li', { hasText: '$5,000.00 → $4,400.00' }).first()
    await trading.getByText('Balance changed', { exact: true }).first().waitFor()
    await trading.getByText('Details').first().click()
    await trading.getByText('BalanceChanged', { exact: true }).first().waitFor()
    // A code in place of a name says nothing at first sight: it is among the details.
    const decision = timeline.locator('li', { hasText: 'Payout rejected' }).last()
    await decision.getByText('Administrator', { exact: true }).waitFor()
    await decision.getByText('Details').click()
    await decision.getByText(/^The same administrator always has the mark [0-9a-f]{12}$/).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/ADMIN_ACCESS_KEY|the-master-password|signed in/)
    const account = page.getByRole('region', { name: 'The account at this moment' })
    await account.getByText('Breached', { exact: true }).waitFor()
    const slider = page.getByRole('slider', { name: 'Moment', exact: true })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText(`This is the account after entry #${events.at(-2)?.number}`).waitFor()
    await account.getByText('Active', { exact: true }).first().waitFor()
    await page.keyboard.press('Home')
    await page.waitForURL(`**/history?type=all&at=${events[0]?.number}`)
    await page.getByRole('button', { name: 'Compare two moments' }).waitFor()
    await page.getByRole('link', { name: 'Back to now' }).press('Enter')
    await page.getByText('This is the account now').waitFor()
    await page.getByRole('link', { name: 'Back to now' }).waitFor({ state: 'hidden' })
    // What had the focus is gone: a slider has it.
    const focused = page.locator(':focus')
    expect(await focused.getAttribute('aria-label')).toBe('Moment')
    await timeline
      .getByRole('button', { name: /^Compare with the moment/ })
      .first()
      .press('Enter')
    await page.getByRole('table', { name: 'Two moments of the account' }).waitFor()
    expect(await focused.getAttribute('aria-label')).toBe('Other moment')
  })

  it('compares two moments of the account', async () => {
    const { trader, events } = await breachedAccount()
    const { page, open } = await site.visit({ as: trader })
    await open(`/history?compare=${numberOf(events, 'PayoutRequested')}`)
    const table = page.getByRole('table', { name: 'Two moments of the account' })
    const row = table.getByRole('row', { name: /^Payout p1 Changed/ })
    await row.getByText('Pending', { exact: true }).waitFor()
    await row.getByText('Rejected', { exact: true }).waitFor()
  })

  it('opens from every stamp', async () => {
    const { trader, events } = await breachedAccount()
    const { page, open } = await site.visit({ as: trader })
    for (const [path, heading, types] of [
      ['/', "Ada's Dashboard", ['AccountStatusChanged', 'PhaseChanged', 'RiskLimitsChanged']],
      ['/?tab=details', "Ada's Dashboard", ['AccountStatusChanged', 'PayoutsEnabled']],
      ['/payouts', 'Payouts', ['AccountStatusChanged', 'PayoutRejected']],
    ] as const) {
      await open(path)
      for (const type of types) {
        const number = numberOf(events, type)
        // By keyboard, as everything here can be done.
        await page
          .getByRole('link', { name: new RegExp(`^#${number} `) })
          .first()
          .press('Enter')
        await page.waitForURL(`**/history?at=${number}`)
        await page
          .getByText(new RegExp(`entry #${number}, `))
          .first()
          .waitFor()
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      }
    }
    // Reaching a stamp, or pointing at it, tells who and why.
    await open('/payouts')
    const stamp = page
      .getByRole('table', { name: 'Payout history' })
      .getByRole('link', { name: new RegExp(`^#${numberOf(events, 'PayoutRejected')} `) })
    await page.keyboard.press('Tab')
    await stamp.focus()
    const tooltip = page.getByRole('tooltip').getByText('By an administrator: Proof of address is missing')
    await tooltip.waitFor()
    // Also where the focus scrolls the page.
    const frames = () =>
      page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await page.setViewportSize({ width: 1280, height: 240 })
    await stamp.blur()
    await tooltip.waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await page.evaluate(() => scrollTo(0, 0))
    await frames()
    await stamp.focus()
    await frames()
    await tooltip.waitFor()
    await stamp.press('Enter')
    await page.waitForURL(`**/history?at=${numberOf(events, 'PayoutRejected')}`)
  })

  it('downloads the proof, the personal data and the verifier', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    await open('/history')
    for (const [link, name, beginning] of [
      ['History with proof', 'my-history.json', /^\{"account":/],
      ['verify.html', 'verify.html', /^<!doctype html>/i],
      ['My personal data', 'my-data.json', /^\{"exportedAt":/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: link, exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toBe(name)
      expect(await readFile(await download.path(), 'utf8')).toMatch(beginning)
    }
  })

  it('shows new decisions without a reload', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin)
    const { page, open } = await site.visit({ as: trader, minWidth: TWO_COLUMNS })
    await open('/history')
    const account = page.getByRole('region', { name: 'The account at this moment' })
    await account.getByText('Breached', { exact: true }).waitFor()
    await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'under-review' })
    await account.getByText('Under Review', { exact: true }).waitFor()
  })

  it('loads no administration code', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await open('/history')
    await page.getByRole('list', { name: 'Timeline, newest first' }).getByText('Signed up').waitFor()
    expect(
      loaded.filter((url) =>
        /admin-layout|account-page|accounts-page|activity-page|users-page|payouts-table/.test(url),
      ),
    ).toEqual([])
  })

  it('is accessible and fits in both themes, on desktop and phone, and never scrolls sideways at any narrow width', async () => {
    const { trader, events } = await breachedAccount()
    const rejected = numberOf(events, 'PayoutRejected')
    const { page, open, follow, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/history')
    for (const [search, shown] of [
      ['', page.getByRole('list', { name: 'Timeline, newest first' }).getByText('Payout rejected')],
      [`?at=${rejected}&view=account`, page.getByText('Daily Drawdown Limit').first()],
      [`?compare=${rejected}`, page.getByRole('table', { name: 'Two moments of the account' })],
    ] as const) {
      await follow(`/history${search}`)
      await shown.waitFor()
      await page.getByRole('region', { name: 'What happened at this moment' }).getByText('Details').waitFor()
      await expectGoodLook()
      await expectNoSidewaysScroll(...narrowWidths)
    }
  })
})
