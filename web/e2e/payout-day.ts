import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from '#test-support/until.ts'
import { payoutsOf, traderWithRequests } from './admin-people.ts'
import { hold, type Site } from './kit.ts'
import { expectNothingCovered, goTo, slip } from './keyboard.ts'
import { payApproved } from './payment-day.ts'

const TRADERS = 5
const amountOf = (index: number) => (index % 4 === 3 ? '900.00' : `${100 + index}.00`)

/** With these settings two members have to approve, and two to release a batch. */
export const fourEyes = { SECOND_APPROVAL_ABOVE: '500', SECOND_CONFIRMATION: 'batches' }

/**
 * Two members decide and pay this many payouts by keyboard alone: some are decided one by one, the others in bulk,
 * those above the limit by both of them. A third is faster with one. Then one makes a batch, the other releases it and
 * reads the bank's answer. Fails when something typed or reported is lost, or a toast covers something.
 */
export async function decideAndPayAll(site: Site, count: number): Promise<void> {
  const outsider = await site.portal.admin()
  const amounts = Array.from({ length: count }, (_, index) => amountOf(index))
  const traders = []
  for (let from = 0; from < TRADERS; from++)
    traders.push(
      await traderWithRequests(
        site.portal,
        outsider,
        `Trader ${from + 1}`,
        amounts.filter((_, index) => index % TRADERS === from),
        { destination: { holder: `Trader ${from + 1}`, iban: 'DE89370400440532013000' } },
      ),
    )

  const first = await openQueue(site, 'Dana')
  await turnPages(first.page)
  await decideSome(first.page)
  await approveRest(first.page, async () => {
    // One of the selected payouts, which the page shows as pending, is decided by somebody else.
    const id = (await first.page.locator('[data-row]:has(input:checked)').first().getAttribute('data-row')) ?? ''
    await outsider.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'Twice the same' })
  })
  const second = await openQueue(site, 'Marcus')
  await approveRest(second.page)
  await second.page.getByText('No payout requests found').waitFor()

  const decided = (await Promise.all(traders.map(payoutsOf))).flat()
  expect(decided.filter(({ status }) => status === 'rejected').map(({ adminNotes }) => adminNotes)).toEqual(
    expect.arrayContaining(['Twice the same', REASON]),
  )
  expect(decided.filter(({ status }) => status === 'approved')).toHaveLength(count - 2)
  const approvals = (await site.portal.events()).filter(({ type }) => type === 'PayoutApproved')
  expect(approvals).toHaveLength(count - 2)
  await payApproved(site, { maker: first, releaser: second, count: count - 2 })
}

const REASON = 'Please send a proof of address'

/** The pending payouts, opened by the keyboard. */
async function openQueue(site: Site, name: string) {
  const visit = await site.visit({ as: await site.portal.member('payouts', { name }) })
  visit.allowStatus(409)
  const { page } = visit
  await visit.open('/admin/dashboard')
  await goTo(page, 'Payouts')
  await page.waitForURL('**/admin/payouts')
  await visit.follow('/admin/payouts?status=pending')
  await page.locator('[data-row]').first().waitFor()
  return visit
}

const onRow = (page: Page, index: number) => page.locator('[data-row]').nth(index).and(page.locator(':focus')).waitFor()

/** J and K go to the next page and back. */
async function turnPages(page: Page): Promise<void> {
  const rows = page.locator('[data-row]')
  const shown = await rows.count()
  const firstId = await rows.first().getAttribute('data-row')
  for (let pressed = 0; pressed < shown; pressed++) await page.keyboard.press('j')
  await onRow(page, shown - 1)
  for (const [key, address] of [
    ['j', /cursor=/],
    ['k', /status=pending$/],
  ] as const) {
    await page.keyboard.press(key)
    await page.waitForURL(address)
    await onRow(page, 0)
  }
  await page.locator(`[data-row="${firstId}"]:focus`).waitFor()
}

/** Approves and rejects some, one by one. */
async function decideSome(page: Page): Promise<void> {
  for (const verdict of ['a', 'a', 'a', 'r', 'a'] as const) {
    const decided = await page.locator('[data-row]:focus').getAttribute('data-row')
    await page.keyboard.press(verdict)
    const dialog = page.getByRole('dialog', { name: verdict === 'a' ? 'Approve payout' : 'Reject payout' })
    await dialog
      .getByText('None. This is the first request.')
      .or(dialog.getByText('None was approved yet.'))
      .or(dialog.getByText(/approved, \$/))
      .waitFor()
    await expectNothingCovered(page)
    if (verdict === 'r') await typeReasonDespiteSlips(page)
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await until(
      () => page.evaluate(() => document.activeElement?.hasAttribute('data-row') === true),
      'the focus to be on the next payout',
    )
    // Otherwise the whole page, which is selected next, would have it.
    await page.locator(`[data-row="${decided}"]`).waitFor({ state: 'detached' })
    await expectNothingCovered(page)
  }
}

async function typeReasonDespiteSlips(page: Page): Promise<void> {
  await page.keyboard.type(REASON)
  await slip(page)
  expect(await page.locator('textarea:focus').inputValue()).toBe(REASON)
}

/** Approves all others, page by page. What fails is reported first, and Escape loses no report. */
async function approveRest(page: Page, beforeFirst?: () => Promise<void>): Promise<void> {
  let isFirst = true
  for (;;) {
    const all = page.getByLabel(/^Select all/)
    if ((await all.count()) > 0) {
      await page.keyboard.press('Shift+X')
      await all.and(page.locator(':checked')).waitFor()
      // Of those above the limit the first approval leaves them where they are.
      const leaving = await page
        .locator('[data-row]:has(input:checked)')
        .filter({ hasNotText: '$900.00' })
        .evaluateAll((rows) => rows.map((row) => `[data-row="${row.getAttribute('data-row')}"]`))
      await page.keyboard.press('Shift+A')
      const dialog = page.getByRole('dialog', { name: 'Approve several payouts' })
      await dialog
        .getByRole('button', { name: /^Approve \d+ payout/ })
        .and(page.locator(':enabled'))
        .waitFor()
      const report = dialog.getByText(/^\d+ approved.* failed$/)
      const isInterrupted = isFirst && beforeFirst !== undefined
      if (isInterrupted) {
        await beforeFirst()
        const verdict = await hold(page, '**/api/admin/payouts/*')
        await page.keyboard.press('Control+Enter')
        await verdict.isAsked
        await page.keyboard.press('Escape')
        verdict.release()
      } else await page.keyboard.press('Control+Enter')
      await report.waitFor()
      await expectNothingCovered(page)
      expect(await report.innerText()).toMatch(isInterrupted ? / 1 failed$/ : / none failed$/)
      if (isInterrupted)
        await dialog
          .getByRole('listitem')
          .first()
          .getByText(/^Failed: .* rejected this payout/)
          .waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      isFirst = false
      // Those that now wait for another member stay, those that are decided go.
      await page.locator('table:not([aria-busy])').waitFor()
      await until(async () => (await page.locator('input:checked').count()) === 0, 'the verdicts to be shown')
      for (const row of leaving) await page.locator(row).waitFor({ state: 'detached' })
    } else if ((await page.locator('[data-page=next]:enabled').count()) > 0) {
      const address = page.url()
      for (let left = await page.locator('[data-row]').count(); left >= 0; left--) await page.keyboard.press('j')
      await page.waitForURL((url) => url.href !== address)
      await page.locator('table:not([aria-busy])').waitFor()
    } else return
  }
}
