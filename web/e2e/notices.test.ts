import { expect, it } from 'vitest'
import { z } from 'zod'
import { publishedProgramme, watchedTerms, watchedTrader } from '#test-support/programme-account.ts'
import { describeSite } from './kit.ts'

describeSite('notices', (site) => {
  it('say what is new until it was seen, lead to the entry, and are mailed as chosen', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader()
    const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
    await set({ status: 'active', payoutEnabled: true })
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('button', { name: 'Notices, 2 new' }).waitFor()
    // Another one arrives without a reload.
    await set({ status: 'under-review', reason: 'Trades at the opening' })
    const bell = page.getByRole('button', { name: 'Notices, 3 new' })
    await bell.waitFor()
    await bell.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Notices' })
    await dialog.getByText('Trades at the opening').waitFor()
    await expect.poll(() => dialog.getByText('New', { exact: true }).count()).toBe(3)
    await expectGoodLook()
    await dialog.getByRole('link', { name: 'Account status changed' }).first().press('Enter')
    await page.waitForURL('**/history?at=*')
    await page
      .getByRole('region', { name: 'What happened at this moment' })
      .getByText('Trades at the opening')
      .waitFor()
    await page.getByRole('button', { name: 'Notices', exact: true }).waitFor()

    await open('/settings')
    await page.getByLabel('Changed limits').uncheck()
    await page.getByLabel('A limit that is close').uncheck()
    await expectGoodLook()
    await page.getByRole('button', { name: 'Save Choice' }).click()
    await expectToast('Mails updated')
    await page.reload()
    await page.getByLabel('A new phase').waitFor()
    expect(await page.getByLabel('Changed limits').isChecked()).toBe(false)
    expect(z.object({ muted: z.array(z.string()) }).parse((await trader.get('/api/user/notices')).body).muted).toEqual([
      'limits',
      'near-limits',
    ])
  })

  it('ring when a limit is close, with the room that is left, and lead to the entry', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms())
    const { trader, observe } = await watchedTrader(site.portal, admin, programme)
    const { page, open, expectGoodLook } = await site.visit({ as: trader })
    await open('/')
    const now = new Date().toISOString()
    await observe([{ at: now, kind: 'state', balance: '100000.00', equity: '95400.00', open: true }])
    await page.getByRole('button', { name: /^Notices, \d new$/ }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Notices' })
    await dialog.getByText('$400.00').waitFor()
    await expectGoodLook()
    await dialog.getByRole('link', { name: 'Close to a limit' }).press('Enter')
    const entry = page.getByRole('region', { name: 'What happened at this moment' })
    await entry.getByText('$95,000.00').waitFor()
    await expectGoodLook()
  })
})
