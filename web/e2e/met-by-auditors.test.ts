import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eventsOf, livedThrough, numberOf, TWO_COLUMNS } from './audit-account.ts'
import { describeSite } from './kit.ts'

/** Problems that auditors met on their screens, each as they met it. */
describeSite('an auditor', (site) => {
  const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline, newest first' })
  const shownEntry = (page: Page) => page.getByRole('region', { name: 'What happened at this moment' })

  it('reaches a moment with one entry and one Enter, and reads what is wrong with another', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Moment Asked')
    const events = await eventsOf(admin, trader.id)
    const at = events[2]?.at ?? ''
    const endOfSecond = Math.floor(Date.parse(at) / 1_000) * 1_000 + 999
    const expected = events.findLast((event) => Date.parse(event.at) <= endOfSecond)
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open(`/admin/audit/${trader.id}`)
    const field = page.getByLabel('Go to', { exact: true })
    await field.fill(`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`)
    await page.keyboard.press('Enter')
    await shownEntry(page).getByText(`#${expected?.number}`).waitFor()
    // By its number, too; the focus stays for the next one.
    await page.keyboard.press('Control+A')
    await page.keyboard.type(`#${events[1]?.number}`)
    await page.keyboard.press('Enter')
    await page.getByText(`This is the account after entry #${events[1]?.number}`).waitFor()
    for (const [text, problem] of [
      ['yesterday', 'Write a time such as 3 Nov 12:00, or an entry such as #1042.'],
      ['3 Nov 2020 12:00', /^This history begins /],
      ['#999999', 'This account has no entry #999999.'],
    ] as const) {
      await field.fill(text)
      await field.press('Enter')
      await page.getByText(problem).waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
    }
    await page.getByText(`This is the account after entry #${events[1]?.number}`).waitFor()
  })

  it('searches a history, first its decisions, then everything', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'History Searched')
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open(`/admin/audit/${trader.id}`)
    await timeline(page).getByText('Signed up', { exact: true }).waitFor()
    await page.getByLabel('Search', { exact: true }).fill('proof of address')
    await timeline(page).getByText('Signed up', { exact: true }).waitFor({ state: 'detached' })
    await timeline(page).getByText('Payout rejected').waitFor()
    expect(
      await timeline(page)
        .getByText(/^#\d+ · /)
        .count(),
    ).toBe(1)
    // A balance is no decision.
    await page.getByLabel('Search', { exact: true }).fill('$4,400.00')
    await page.getByText('No decision says this.').waitFor()
    await page.getByRole('button', { name: 'Search in everything' }).click()
    await timeline(page).getByText('$5,000.00 → $4,400.00').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe('$4,400.00')
  })

  it('reads no sign-in of staff before the person signed up', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Begin Seeker')
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open(`/admin/audit/${trader.id}?type=all`)
    await timeline(page).getByText('Signed up', { exact: true }).waitFor()
    expect(await timeline(page).getByRole('listitem').last().innerText()).toMatch(/^Signed up/)
    await page.getByRole('slider', { name: 'Moment', exact: true }).press('Home')
    await shownEntry(page).getByText('Signed up', { exact: true }).waitFor()
  })

  it('takes the activity of the firm along as a file, with the filters of the page', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Export Reader')
    const rejected = numberOf(await eventsOf(admin, trader.id), 'PayoutRejected')
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open('/admin/audit/facts?type=PayoutRejected')
    await page.getByRole('link', { name: new RegExp(`^#${rejected} `) }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    const [headings, ...rows] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
    expect(headings).toMatch(/^\ufeffNumber,Time,Type,Event,.*,Field,From,To,Reason,/)
    expect(rows.every((row) => row.includes(',PayoutRejected,'))).toBe(true)
    expect(rows.find((row) => row.startsWith(`${rejected},`))).toContain('pending,rejected,Proof of address is missing')
  })

  it('prints a history without controls, and nothing of it is cut', async () => {
    const admin = await site.portal.admin()
    const trader = await livedThrough(site.portal, admin, 'Paper Reader')
    const { page, open } = await site.visit({ as: await site.portal.auditor(), theme: 'dark', minWidth: TWO_COLUMNS })
    await open(`/admin/audit/${trader.id}?type=all`)
    await timeline(page).getByText('$5,000.00 → $4,400.00').first().waitFor()
    const account = page.getByRole('region', { name: 'The account at this moment' })
    await account.getByText('Breached', { exact: true }).waitFor()
    await page.emulateMedia({ media: 'print' })
    const cut = (of: Locator) => of.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
    expect(await cut(account)).toBe(0)
    for (const control of [
      page.getByRole('slider'),
      page.getByRole('button', { name: 'Compare two moments' }),
      page.getByLabel('Go to', { exact: true }),
      page.getByLabel('Search', { exact: true }),
      page.getByLabel('Kind'),
      page.getByRole('link', { name: 'Export CSV' }),
      page.getByRole('banner'),
      timeline(page).getByRole('button').first(),
    ])
      expect([control.toString(), await control.first().isVisible()]).toEqual([control.toString(), false])
    // What a day holds is folded in on the screen.
    expect(await timeline(page).getByText('Balance changed').first().isVisible()).toBe(true)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light')
  })
})
