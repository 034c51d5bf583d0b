import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { traderWithRequests } from './admin-people.ts'
import { goTo, press } from './keyboard.ts'
import { describeSite, openFilters } from './kit.ts'

const view = (page: Page) => page.getByLabel('View', { exact: true })
const chosen = (page: Page) =>
  view(page).evaluate((select) => (select instanceof HTMLSelectElement ? select.selectedOptions[0]?.label : ''))

describeSite('saved views', (site) => {
  it.each([1280, 390])(
    'are saved, opened from list and palette, renamed and deleted by keyboard alone, at %i px',
    async (width) => {
      const admin = await site.portal.admin()
      await traderWithRequests(site.portal, admin, `View ${width}`, ['100.00'])
      const { page, open, expectToast, expectGoodLook, allowStatus } = await site.visit({
        as: await site.portal.member('payouts'),
        width,
      })
      // A name is taken.
      allowStatus(400)
      await open('/admin/payouts?search=View&method=bank&from=2026-11-01')
      await openFilters(page)
      await press(page, page.getByLabel('Order'), 'ArrowDown')
      await page.waitForURL(/sort=-createdAt/)
      await press(page, page.getByRole('button', { name: 'Save View' }))
      const save = page.getByRole('dialog', { name: 'Save View' })
      await save.getByText('What you search for is not kept', { exact: false }).waitFor()
      await save.getByLabel('Name').and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Control+Enter')
      await save.getByText('Please enter a name').waitFor()
      await page.keyboard.type('By bank')
      await expectGoodLook()
      await page.keyboard.press('Control+Enter')
      await expectToast('View saved')
      await save.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Change View' }).and(page.locator(':focus')).waitFor()
      expect(await chosen(page)).toBe('By bank')
      await expectGoodLook()

      // The same filters again are this view; others can be a second one, but not of the same name.
      await press(page, page.getByLabel('Payment'), 'ArrowDown')
      await page.waitForURL(/payment=open/)
      expect(await chosen(page)).toBe('Not saved')
      await press(page, page.getByRole('button', { name: 'Save View' }))
      await save.getByLabel('Name').and(page.locator(':focus')).waitFor()
      await page.keyboard.type('by BANK')
      await page.keyboard.press('Control+Enter')
      await save.getByText('You have a view with this name already').first().waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('Unpaid')
      await page.keyboard.press('Control+Enter')
      await save.waitFor({ state: 'detached' })

      // From any page, by the palette.
      await open('/admin/users')
      await goTo(page, 'By bank')
      await page.waitForURL((url) => url.pathname === '/admin/payouts')
      const { searchParams } = new URL(page.url())
      expect(Object.fromEntries(searchParams)).toEqual({ method: 'bank', from: '2026-11-01', sort: '-createdAt' })
      await page.reload()
      await openFilters(page)
      await view(page).waitFor()
      expect(await chosen(page)).toBe('By bank')
      await press(page, view(page), 'ArrowDown')
      await page.waitForURL(/payment=open/)
      expect(await chosen(page)).toBe('Unpaid')

      await press(page, page.getByRole('button', { name: 'Change View' }))
      const change = page.getByRole('dialog', { name: 'Change View' })
      await change.getByLabel('Name').and(page.locator(':focus')).waitFor()
      await expectGoodLook()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('Owed')
      await page.keyboard.press('Control+Enter')
      await change.waitFor({ state: 'detached' })
      await expect.poll(() => chosen(page)).toBe('Owed')
      await press(page, page.getByRole('button', { name: 'Change View' }))
      await press(page, change.getByRole('button', { name: 'Delete View' }))
      await change.waitFor({ state: 'detached' })
      await expect.poll(() => chosen(page)).toBe('Not saved')
      await page.getByRole('button', { name: 'Save View' }).and(page.locator(':focus')).waitFor()
    },
  )

  it('are of each list, and of one member alone', async () => {
    const member = await site.portal.member('support')
    const saved = { list: 'users', name: 'Breached', query: 'status=breached' }
    expect((await member.post('/api/admin/auth/views', saved)).status).toBe(201)
    const { page, open } = await site.visit({ as: member })
    await open('/admin/users?status=breached')
    await openFilters(page)
    await view(page).waitFor()
    expect(await chosen(page)).toBe('Breached')
    await view(page).selectOption('Everything')
    await page.waitForURL((url) => url.search === '')
    await open('/admin/payouts?status=approved')
    await openFilters(page)
    await page.getByRole('button', { name: 'Save View' }).waitFor()
    expect(await view(page).count()).toBe(0)
    const other = await site.visit({ as: await site.portal.member('support') })
    await other.open('/admin/users?status=breached')
    await openFilters(other.page)
    await other.page.getByRole('button', { name: 'Save View' }).waitFor()
    expect(await view(other.page).count()).toBe(0)
  })
})
