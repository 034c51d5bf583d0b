import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { eventsOf, livedThrough, numberOf, TWO_COLUMNS } from './audit-account.ts'
import { describeSite, narrowWidths, openNavigation } from './kit.ts'

const moment = (page: Page) => page.getByRole('slider', { name: 'Moment', exact: true })
const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline, newest first' })
const account = (page: Page) => page.getByRole('region', { name: 'The account at this moment' })
const shownEntry = (page: Page) => page.getByRole('region', { name: 'What happened at this moment' })

describeSite('the audit', (site) => {
  /** An account that all tests here only look at. */
  let shared: ReturnType<typeof readOnly> | undefined
  const readOnly = async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin)
    return { trader, events: await eventsOf(admin, trader.id) }
  }
  const breachedAccount = () => (shared ??= readOnly())

  it('leads an auditor from sign-in to who breached an account and why', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Grace Dispute')
    const breach = numberOf(await eventsOf(admin, trader.id), 'AccountStatusChanged')
    const { accessKey } = await new AccessKeys(
      site.portal.running.parts.repositories,
      site.portal.running.parts.secrets,
    ).issue('Haldane & Roe', 'auditor', 'a test')
    const { page, open } = await site.visit({ minWidth: TWO_COLUMNS })
    await open('/auth')
    await page.getByRole('button', { name: 'Admin Login' }).click()
    await page.getByLabel('Access Key', { exact: true }).fill(accessKey)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.waitForURL('**/admin/audit')
    await page.getByText('You are signed in as an auditor').waitFor()
    await page.getByLabel('Search', { exact: true }).fill('grace dispute')
    await page.waitForURL('**/admin/audit?search=grace+dispute')
    await page.getByText('1 of 1 users').waitFor()
    await page.getByRole('link', { name: 'Grace Dispute' }).click()
    await page.waitForURL(`**/admin/audit/${trader.id}`)
    await page.waitForFunction(() => document.title === 'Audit of Grace Dispute · Proofdesk')
    await shownEntry(page).getByText('Account status changed').waitFor()
    expect((await shownEntry(page).innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Status Active → Breached Why: Lost more than a day allows Evidence: Daily Drawdown: -\$600\.00 against 5% \/ \$250, .*Administrator ADMIN_ACCESS_KEY/,
    )
    await timeline(page).getByText(`#${breach}`, { exact: false }).first().waitFor()
    await account(page).getByText('Breached', { exact: true }).waitFor()
    // The way on to everything else that this administrator did.
    await shownEntry(page).getByRole('link', { name: 'ADMIN_ACCESS_KEY' }).click()
    await page.waitForURL('**/admin/audit/facts?actor=ADMIN_ACCESS_KEY')
    await page.getByRole('heading', { name: 'Activity of ADMIN_ACCESS_KEY' }).waitFor()
    await page.getByRole('link', { name: 'Grace Dispute' }).first().waitFor()
    await page.getByRole('link', { name: new RegExp(`^#${breach} `) }).click()
    await page.waitForURL(`**/admin/audit/${trader.id}?at=${breach}`)
  })

  it('moves an account back in time by keyboard and says so', async () => {
    const { trader, events } = await breachedAccount()
    const numbers = events.map(({ number }) => number)
    const { page, open } = await site.visit({ as: await site.portal.auditor(), minWidth: TWO_COLUMNS })
    await open(`/admin/audit/${trader.id}`)
    await page.getByText(`This is the account now, after entry #${numbers.at(-1)}`).waitFor()
    await account(page).getByText('Breached', { exact: true }).waitFor()
    await moment(page).focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(`**?at=${numbers.at(-2)}`)
    await page.getByText(`This is the account after entry #${numbers.at(-2)}`).waitFor()
    await account(page).getByText('Active', { exact: true }).first().waitFor()
    await account(page).getByText('$4,400.00', { exact: true }).first().waitFor()
    await page.keyboard.press('ArrowLeft')
    await account(page).getByText('$5,000.00', { exact: true }).first().waitFor()
    await page.keyboard.press('Home')
    await page.waitForURL(`**?at=${numbers[0]}`)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(`**?at=${numbers[1]}`)
    await page.keyboard.press('PageUp')
    await page.waitForURL(`**?at=${numbers[11]}`)
    expect(await moment(page).getAttribute('aria-valuetext')).toMatch(
      new RegExp(`^Entry #${numbers[11]}, .*, 12 of ${numbers.length}$`),
    )
    await page.keyboard.press('End')
    await page.getByText('This is the account now').waitFor()
    // The last steps were one move each in the history's place: going back leaves the moments behind.
    await page.keyboard.press('ArrowLeft')
    await page.getByText(`This is the account after entry #${numbers.at(-2)}`).waitFor()
    await page.getByRole('link', { name: 'Back to now' }).click()
    await page.getByText('This is the account now').waitFor()
    await page.goBack()
    await page.getByText(`This is the account after entry #${numbers.at(-2)}`).waitFor()
  })

  it('requests one state per pause, however fast the slider moves', async () => {
    const { trader, events } = await breachedAccount()
    const { page, open } = await site.visit({ as: await site.portal.admin(), minWidth: TWO_COLUMNS })
    await open(`/admin/audit/${trader.id}`)
    await account(page).getByText('Breached', { exact: true }).waitFor()
    const requested: string[] = []
    page.on(
      'request',
      (request) =>
        request.url().includes('?at=') && request.url().includes('/api/audit/') && requested.push(request.url()),
    )
    await moment(page).focus()
    // All in one go, so that no pause lies between: what is held down fires faster still.
    await moment(page).evaluate((slider) => {
      for (const key of ['ArrowLeft', 'Home', 'End', 'Home'])
        slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.getByText(`This is the account after entry #${events[0]?.number}`).waitFor()
    await account(page).getByText('No account was opened yet.').waitFor()
    expect(requested).toEqual([expect.stringMatching(new RegExp(`\\?at=${events[0]?.number}$`))])
  })

  it('compares two moments and shows the differences', async () => {
    const { trader, events } = await breachedAccount()
    const breach = numberOf(events, 'AccountStatusChanged')
    const rejected = numberOf(events, 'PayoutRejected')
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open(`/admin/audit/${trader.id}?at=${breach}`)
    await page.getByRole('button', { name: 'Compare two moments' }).click()
    const table = page.getByRole('table', { name: 'Two moments of the account' })
    const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('Status Changed').getByText('Active', { exact: true }).waitFor()
    await row('Status Changed').getByText('Breached', { exact: true }).waitFor()
    await page.getByText('1 line differs between these two moments.').waitFor()
    // Any two moments, by the address alone.
    await open(`/admin/audit/${trader.id}?at=${breach}&compare=${rejected}`)
    await row('Balance Changed').waitFor()
    expect((await row('Balance Changed').innerText()).replaceAll(/\s+/g, ' ')).toBe(
      'Balance Changed $5,000.00 $4,400.00',
    )
    expect((await row('Certificate c1 Changed').innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'not there Phase 1 passed',
    )
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.waitForURL(`**?at=${breach}`)
    await page.goBack()
    await table.waitFor()
  })

  it('keeps its filters by type, actor and day in the URL', async () => {
    const { trader } = await breachedAccount()
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open(`/admin/audit/${trader.id}`)
    await page.locator('optgroup[label=Payments] > option', { hasText: /^Payouts$/ }).waitFor({ state: 'attached' })
    await page.getByLabel('Kind').selectOption({ label: 'Payouts' })
    await page.waitForURL(
      /type=PayoutRequested%2C(PayoutFirstApproved%2C)?PayoutApproved%2CPay|type=PayoutRequested%2CPayout/,
    )
    await timeline(page).getByText('Payout rejected').waitFor()
    await timeline(page).getByText('Why: Proof of address is missing').waitFor()
    await expect.poll(() => timeline(page).locator('li:has(a)').count()).toBe(2)
    await page.getByLabel('By', { exact: true }).selectOption({ label: 'Traders' })
    await page.waitForURL(/actor=trader/)
    await timeline(page).getByText('Payout requested').waitFor()
    await timeline(page).getByText('Payout rejected').waitFor({ state: 'detached' })
    await page.reload()
    await timeline(page).getByText('Payout requested').waitFor()
    await expect.poll(() => timeline(page).locator('li:has(a)').count()).toBe(1)
    await page.getByLabel('To', { exact: true }).fill('2001-01-01')
    await page.getByText('No entries found').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await timeline(page).getByText('Payout rejected').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  it('reports an unknown account or moment', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader()
    const { page, open, allowStatus } = await site.visit({ as: admin })
    allowStatus(404)
    await open('/admin/audit/nobody00000')
    await page.getByText('User not found').waitFor()
    await open(`/admin/audit/${trader.id}?at=1`)
    await page.getByText('This account has no entry #1.').waitFor()
    await page.getByRole('link', { name: 'Back to now' }).click()
    await page.getByText('This is the account now').waitFor()
    await open(`/admin/audit/${trader.id}?at=2999-01-01`)
    await page.getByText('This is the account now').waitFor()
  })

  it('finds a deleted user by id, without personal data', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Soon Gone')
    await admin.delete(`/api/admin/user/${trader.id}`)
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open(`/admin/audit?search=${trader.id}`)
    await page.locator('tbody [data-row]').getByText('Deleted', { exact: true }).waitFor()
    await page.locator('tbody').getByRole('link', { name: 'erased' }).click()
    await timeline(page).getByText('User deleted').waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/Soon Gone|St James|IBAN/)
  })

  it('downloads an account with proof and as CSV', async () => {
    const { trader } = await breachedAccount()
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open(`/admin/audit/${trader.id}`)
    for (const [link, name, beginning] of [
      ['Export with proof', /^account-.*\.json$/, /^\{"account":/],
      ['Export CSV', /^account-.*\.csv$/, /Number,Time,Type/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: link }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(name)
      expect(await readFile(await download.path(), 'utf8')).toMatch(beginning)
    }
  })

  it('shows an auditor every page and no way to change anything', async () => {
    const { trader } = await breachedAccount()
    const { page, open, problems } = await site.visit({ as: await site.portal.auditor() })
    const changes: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && changes.push(`${request.method()} ${request.url()}`))
    await open('/admin/audit')
    await openNavigation(page)
    const links = await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').allInnerTexts()
    // On the page about their own sign-in, auditors do change something.
    for (const name of links.filter((link) => link !== 'Security')) {
      await openNavigation(page)
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name, exact: true }).click()
      await page.getByText('You are signed in as an auditor').waitFor()
    }
    await open(`/admin/audit/${trader.id}`)
    await timeline(page).getByText('Account status changed').first().waitFor()
    const buttons = await page
      .locator('main')
      .getByRole('button')
      .evaluateAll((found) => found.map((one) => one.getAttribute('aria-label') ?? one.textContent))
    for (const name of buttons)
      expect(name).toMatch(/^(Copy |Compare|Moment: one entry|Go to: Moment|Show |Clear filters)/)
    expect(changes).toEqual([])
    expect(problems).toEqual([])
  })

  it('opens from every stamp and from the palette', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Stamp Bearer')
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Account sharing' })
    const events = await eventsOf(admin, trader.id)
    const { page, open } = await site.visit({ as: admin })
    /** By keyboard, as everything here can be done. */
    const follow = async (within: Page | Locator, type: string) => {
      await within
        .getByRole('link', { name: new RegExp(`^#${numberOf(events, type)} `) })
        .first()
        .press('Enter')
      await page.waitForURL(`**/admin/audit/${trader.id}?at=${numberOf(events, type)}`)
      await page.getByRole('heading', { name: 'Stamp Bearer' }).waitFor()
    }
    await open('/admin/users?search=Stamp+Bearer')
    for (const type of ['AccountStatusChanged', 'UserBanned']) {
      await page.getByRole('heading', { level: 1, name: 'User Management' }).waitFor()
      await follow(page, type)
      await page.goBack()
    }
    await open('/admin/payouts?search=Stamp+Bearer')
    await follow(page, 'PayoutRejected')
    await page.goto(`/admin/users?user=${trader.id}`)
    for (const type of ['UserBanned', 'AccountStatusChanged', 'PhaseChanged', 'PayoutsEnabled', 'RiskLimitsChanged']) {
      await follow(page.getByRole('dialog', { name: 'Stamp Bearer' }), type)
      await page.goBack()
    }
    await open('/admin/dashboard')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
    await page.keyboard.type('stamp bear')
    await page.getByRole('option', { name: /Stamp Bearer/ }).click()
    await page.getByRole('option', { name: 'Open the audit' }).click()
    await page.waitForURL(`**/admin/audit/${trader.id}`)
  })

  it('shows new events without a reload', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin)
    const { page, open } = await site.visit({ as: await site.portal.auditor(), minWidth: TWO_COLUMNS })
    await open(`/admin/audit/${trader.id}`)
    await account(page).getByText('Breached', { exact: true }).waitFor()
    await admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'Funded' })
    await account(page).getByText('Funded', { exact: true }).waitFor()
    await timeline(page)
      .getByText('Phase 1 → Funded')
      .or(timeline(page).locator('dd', { hasText: 'Funded' }))
      .first()
      .waitFor()
  })

  it('is accessible and fits in both themes, on desktop and phone, and never scrolls sideways at any narrow width', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff')
    const events = await eventsOf(admin, trader.id)
    const breach = numberOf(events, 'AccountStatusChanged')
    const rejected = numberOf(events, 'PayoutRejected')
    const { page, open, follow, expectGoodLook, expectNoSidewaysScroll } = await site.visit({
      as: await site.portal.auditor(),
    })
    await open('/admin/audit')
    await page.locator('tbody [data-row]').first().waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(...narrowWidths)
    await follow(`/admin/audit/${trader.id}`)
    await page.getByText('This is the account now').waitFor()
    await timeline(page).getByText('Payout rejected').waitFor()
    await expectNoSidewaysScroll(...narrowWidths)
    for (const [search, shown] of [
      [`?at=${rejected}`, timeline(page).locator('[aria-current]').getByText('Payout rejected')],
      [`?at=${rejected}&view=account`, page.getByText('Daily Drawdown Limit').first()],
      [`?at=${breach}&compare=${rejected}`, page.getByRole('table', { name: 'Two moments of the account' })],
    ] as const) {
      await follow(`/admin/audit/${trader.id}${search}`)
      await shown.waitFor()
      await shownEntry(page).getByText('Details').waitFor()
      await expectGoodLook()
      await expectNoSidewaysScroll(...narrowWidths)
    }
    await follow('/admin/audit/facts')
    const newest = page.getByRole('list', { name: 'Events, newest first' })
    await newest
      .getByText(/^#\d+ · /)
      .first()
      .waitFor()
    await expectNoSidewaysScroll(...narrowWidths)
    await follow('/admin/audit/facts?actor=ADMIN_ACCESS_KEY')
    await page.getByRole('heading', { name: 'Activity of ADMIN_ACCESS_KEY' }).waitFor()
    await newest.getByText('Phase changed').first().waitFor()
    await expectGoodLook()
  })

  // Comes last: its many events would make the pages of the other tests long.
  it('pages through many events around the moment shown', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Many Events' })
    // Each change is three events.
    for (let phase = 1; phase <= 44; phase++)
      await admin.patch(`/api/admin/user/${trader.id}/account`, {
        phase: `Phase ${phase}`,
        profitTarget: `${phase}00`,
        payoutEnabled: phase % 2 === 1,
      })
    const events = await eventsOf(admin, trader.id)
    const { page, open } = await site.visit({ as: admin })
    await open(`/admin/audit/${trader.id}`)
    const rows = timeline(page).locator('li:has(a)')
    await rows.first().waitFor()
    const shown = await rows.count()
    expect(shown).toBeLessThan(events.length)
    await page.getByRole('button', { name: /^Show \d+ earlier entries$/ }).click()
    await rows.nth(shown).waitFor()
    // A link to an event far back shows its surroundings at once.
    const early = events[10]?.number
    await open(`/admin/audit/${trader.id}?at=${early}`)
    await timeline(page)
      .locator('[aria-current]')
      .getByRole('link', { name: new RegExp(`^#${early} `) })
      .waitFor()
    await page.getByRole('button', { name: 'Show 50 later entries' }).click()
    await rows.nth(60).waitFor()
  })
})
