import { expect, it } from 'vitest'
import { Finding } from '#services/trading/findings/finding-api.ts'
import { read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Browser } from '#test-support/http-client.ts'
import { describeSite, seeInNavigation, type Site } from './kit.ts'

let logins = 50_000_000

/** A trader of a programme who lost more of the day than it allows. */
async function breaching(site: Site, admin: Browser, fullName: string) {
  const trader = await site.portal.trader({ fullName })
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'two-step-100000' })
  await admin.patch(`/api/admin/accounts/${trader.id}-a1`, wholeLogin(String(++logins)))
  await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '94000.00' })
  return trader
}

describeSite('findings', (site) => {
  it('are looked at with their evidence, and decided by keyboard, alone and together', async () => {
    const admin = await site.portal.admin()
    for (const name of ['Ada Lovelace', 'Ben Brown', 'Cleo Clark']) await breaching(site, admin, name)
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/findings')
    await page.locator('[data-row]').first().waitFor()
    await seeInNavigation(page, 'Findings 3 to decide')
    await expectGoodLook()

    const auditor = await site.visit({ as: await site.portal.auditor() })
    await auditor.open('/admin/findings')
    await auditor.page.getByRole('button', { name: /^Show.*Ada Lovelace$/ }).waitFor()
    expect(await auditor.page.getByRole('button', { name: /^Decide/ }).count()).toBe(0)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Finding of the rules' })
    await dialog.getByText('Breach: Daily loss, $94,000.00 is $1,000.00 below the floor of $95,000.00').waitFor()
    await dialog
      .getByRole('list', { name: 'Evidence' })
      .getByText(/^State \d+ \w+ \d{4}, [\d:]{8} UTC, balance \$94,000\.00/)
      .waitFor()
    await dialog.getByText('the verdict says that one person alone made and decided it').waitFor()
    await expectGoodLook()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await page.keyboard.press('d')
    await dialog.getByLabel('Reason').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('A wrong price')
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Finding dismissed').first().waitFor()
    await seeInNavigation(page, 'Findings 2 to decide')

    await page.keyboard.press('Shift+X')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Shift+C')
    const several = page.getByRole('dialog', { name: 'Confirm 2 findings' })
    await several.getByRole('button', { name: 'Confirm' }).waitFor()
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await several.getByText('2 decided, none failed.').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('No findings').waitFor()
    const all = read(Finding.array(), await admin.get('/api/admin/findings', await site.portal.atEnd()))
    expect(all.map(({ state }) => state).toSorted()).toEqual(['confirmed', 'confirmed', 'dismissed'])
  })
})

describeSite(
  'findings with a second confirmation',
  (site) => {
    it('are not offered for confirmation to the member who confirmed them first', async () => {
      const admin = await site.portal.admin()
      const support = await site.portal.member('support')
      const typist = await site.portal.member('admin', { name: 'Kim' })
      for (const name of ['Ada Lovelace', 'Ben Brown']) await breaching(site, typist, name)
      const own = await site.visit({ as: typist })
      await own.open('/admin/findings')
      await own.page.getByRole('button', { name: /^Decide.*Ada Lovelace$/ }).click()
      const ownDialog = own.page.getByRole('dialog', { name: 'Finding of the rules' })
      await ownDialog.getByText('Typed by you').waitFor()
      await ownDialog.getByText('Another member of staff has to confirm it.').waitFor()
      expect(await ownDialog.getByRole('button', { name: 'Confirm' }).count()).toBe(0)
      await own.expectGoodLook()
      const { page, open, expectGoodLook } = await site.visit({ as: admin })
      await open('/admin/findings')
      await page.getByRole('button', { name: /^Decide.*Ada Lovelace$/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Finding of the rules' })
      await dialog.getByRole('button', { name: 'Confirm' }).click()
      await page.getByText('First confirmation given: 1 of 2').first().waitFor()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('1 of 2', { exact: true }).waitFor()

      await page.getByRole('button', { name: /^Decide.*Ada Lovelace$/ }).click()
      const another = 'You confirmed this finding first. Another member of staff has to confirm it too.'
      await dialog.getByText(another).waitFor()
      await dialog.getByRole('button', { name: 'Dismiss' }).waitFor()
      expect(await dialog.getByRole('button', { name: 'Confirm' }).count()).toBe(0)
      await expectGoodLook()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      // Together with others, only those are confirmed.
      await page.keyboard.press('Shift+X')
      await page.getByText('2 selected').waitFor()
      await page.keyboard.press('Shift+C')
      const several = page.getByRole('dialog', { name: 'Confirm 1 finding' })
      await several.getByText(another).waitFor()
      await page.keyboard.press('Control+Enter')
      await several.getByText('0 decided, 1 confirmed by the first of two, none failed.').waitFor()
      await page.keyboard.press('Control+Enter')

      const other = await site.visit({ as: support })
      await other.open('/admin/findings')
      await other.page.getByRole('button', { name: /^Decide.*Ada Lovelace$/ }).click()
      const second = other.page.getByRole('dialog', { name: 'Finding of the rules' })
      await second.getByText('Confirmed by the first of two: ').waitFor()
      await second.getByRole('button', { name: 'Confirm' }).click()
      await second.waitFor({ state: 'detached' })
      await other.page.getByText('Finding confirmed').first().waitFor()
    })
  },
  { environment: { SECOND_CONFIRMATION: 'breaches' } },
)
