import { expect, it } from 'vitest'
import type { Locator } from 'playwright-core'
import { newEmail } from '#test-support/portal.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite, hold, isCramped, openFilters, openNavigation } from './kit.ts'

/** Problems that staff met on their screens, each as they met it. */
describeSite('staff', (site) => {
  const box = async (of: Locator) => {
    const found = await of.boundingBox()
    if (!found) throw new Error('It is not shown')
    return found
  }

  it('read no count of a list that could not be loaded, and may ask again', async () => {
    const admin = await site.portal.admin()
    const { page, open, allowStatus } = await site.visit({ as: admin })
    allowStatus(500)
    let answers = false
    const refuse = (pattern: string) =>
      page.route(pattern, (route) => (answers ? route.continue() : route.fulfill({ status: 500, json: {} })))
    await refuse('**/api/admin/payouts?*')
    await refuse('**/api/admin/stats')
    await open('/admin/payouts')
    await page.getByText('Payout requests could not be loaded').waitFor()
    await page.getByText('The figures could not be loaded.').waitFor()
    expect(await page.getByText('0 of 0', { exact: false }).count()).toBe(0)
    answers = true
    for (const failure of ['The figures could not be loaded.', 'Payout requests could not be loaded'])
      await page.getByRole('alert').filter({ hasText: failure }).getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/^\d+ of \d+ payout requests$/).waitFor()
    await page.getByText('The figures could not be loaded.').waitFor({ state: 'detached' })
  })

  it('have the notes in sight, and no toast over a row or over the next dialog', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Toast Reader', ['10.00', '20.00', '30.00'])
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/payouts?status=pending')
    const toast = page.getByRole('region', { name: /Notification/ }).getByRole('listitem')
    const row = page.locator('[data-row]').first()
    await row.waitFor()
    const approve = async () => {
      await page.keyboard.press('j')
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Approve payout' })
      // An approval waits for the reasons to look twice.
      await dialog.getByRole('button', { name: 'Approve' }).and(page.locator(':enabled')).waitFor()
      return dialog
    }
    const first = await approve()
    const notes = await box(first.getByLabel('Admin Notes'))
    if (!isCramped) expect(notes.y + notes.height).toBeLessThanOrEqual(800)
    await page.keyboard.press('Control+Enter')
    await first.waitFor({ state: 'detached' })
    await toast.getByText('Payout approved successfully').waitFor()
    await expect.poll(async () => (await box(toast)).y).toBeGreaterThanOrEqual(0)
    const bar = await box(page.getByRole('banner'))
    const bottom = ({ y, height }: Awaited<ReturnType<typeof box>>) => y + height
    const shown = await box(toast)
    expect(shown.y, 'below the navigation').toBeGreaterThanOrEqual(Math.floor(bottom(bar)))
    expect(bottom(shown)).toBeLessThanOrEqual((await box(row)).y)
    // Scrolled, it lies over the headings.
    await page.evaluate(() => document.querySelector('table')?.scrollIntoView())
    if (!isCramped) expect(bottom(shown)).toBeLessThanOrEqual(bottom(await box(page.locator('thead'))))
    const next = await box(await approve())
    await expect.poll(async () => bottom(await box(toast)), { message: 'above the dialog' }).toBeLessThanOrEqual(next.y)
  })

  it('see all of a phone while a toast is there: navigation and rows', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Narrow Reader', ['16.00', '17.00'])
    const { page, open } = await site.visit({ as: admin, width: 390 })
    await open('/admin/payouts?status=pending&search=Narrow')
    const toast = page.getByRole('region', { name: /Notification/ }).getByRole('listitem')
    const row = page.locator('[data-row]').first()
    const approve = page.getByRole('button', { name: /^Approve/ }).filter({ visible: true })
    await approve.first().click()
    const sheet = page.getByRole('dialog', { name: 'Approve payout' })
    await sheet.getByRole('button', { name: 'Approve', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    await toast.getByText('Payout approved successfully').waitFor()
    const bottom = async (of: Locator) => (await box(of)).y + (await box(of)).height
    await expect
      .poll(async () => (await box(toast)).y)
      .toBeGreaterThanOrEqual(Math.floor(await bottom(page.getByRole('banner'))))
    expect(await bottom(toast)).toBeLessThanOrEqual((await box(row)).y)
    // The page has moved down by it.
    const before = (await box(row)).y
    await page.getByRole('button', { name: 'Close notification' }).click()
    await expect.poll(async () => (await box(row)).y).toBeLessThan(before)
  })

  it('read the title of the next sheet on a phone while a toast is there', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Phone Reader', ['14.00', '15.00'])
    const { page, open, expectAccessible } = await site.visit({ as: admin, width: 390 })
    await open('/admin/payouts?status=pending&search=Phone')
    const toast = page.getByRole('region', { name: /Notification/ }).getByRole('listitem')
    const sheet = page.getByRole('dialog', { name: 'Approve payout' })
    const approve = page.getByRole('button', { name: /^Approve/ }).filter({ visible: true })
    await approve.first().click()
    const top = (await box(sheet)).y
    await sheet.getByRole('button', { name: 'Approve', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    await toast.getByText('Payout approved successfully').waitFor()
    await approve.first().click()
    await sheet.waitFor()
    const shown = await box(toast)
    await expect.poll(async () => (await box(sheet)).y).toBeGreaterThanOrEqual(shown.y + shown.height)
    const whole = await box(sheet)
    const { height = 0 } = page.viewportSize() ?? {}
    // A low window shows the page around it.
    expect(height - (whole.y + whole.height)).toBeLessThanOrEqual(height < 512 ? 8 : 0)
    await expectAccessible()
    await page.getByRole('button', { name: 'Close notification' }).click()
    await expect.poll(async () => (await box(sheet)).y).toBe(top)
  })

  it('find the deletion of a user where they look: in the menu of the row and in the details', async () => {
    const admin = await site.portal.admin()
    const [one, other] = await createUsers(admin, ['Delete Byrow', 'Delete Bydetails'])
    const { page, open, allowStatus, expectToast } = await site.visit({ as: admin })
    // The details are asked for once more while they close.
    allowStatus(404)
    await open('/admin/users?search=Delete')
    await page.getByRole('button', { name: 'Actions for Delete Byrow' }).click()
    await page.getByRole('menuitem', { name: 'Delete User' }).click()
    await page.getByRole('alertdialog', { name: 'Delete Delete Byrow' }).getByRole('button', { name: 'Delete' }).click()
    await expectToast('User deleted')
    await page.getByRole('link', { name: one?.fullName ?? '' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: other?.fullName ?? '' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete User' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No users found').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('lose no access key and nothing typed by Escape', async () => {
    const admin = await site.portal.admin()
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/staff')
    await page.getByRole('button', { name: 'Add Member' }).click()
    const form = page.getByRole('dialog', { name: 'Add Member' })
    await form.getByLabel('Name').fill('Dana')
    await page.keyboard.press('Escape')
    await page
      .getByRole('alertdialog', { name: 'Discard what you typed?' })
      .getByRole('button', { name: 'Cancel' })
      .click()
    expect(await form.getByLabel('Name').inputValue()).toBe('Dana')
    await form.getByLabel('Role').selectOption('auditor')
    await form.getByRole('button', { name: 'Add Member' }).click()
    const key = page.getByRole('dialog', { name: 'The new access key' })
    await key.waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 400)
    await key.getByTestId('new-access-key').waitFor()
    expect(await key.getByRole('button', { name: 'Close' }).count()).toBe(0)
    await key.getByRole('button', { name: 'Done' }).click()
    await key.waitFor({ state: 'detached' })
  })

  it('lose nothing typed by going back, which closes a form, and are not asked once it is saved', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Backward Goer'])
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/users?search=Backward')
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Edit User' }).click()
    const form = page.getByRole('dialog', { name: 'Edit User' })
    await form.getByLabel('City').fill('Bern')
    await page.evaluate(() => history.back())
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await form.getByLabel('City').inputValue()).toBe('Bern')
    await form.getByRole('button', { name: 'Save Changes' }).click()
    await form.waitFor({ state: 'detached' })
    await page.evaluate(() => history.back())
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await question.count()).toBe(0)
  })

  it('read the failures of many verdicts first', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Bulk Reader', ['11.00', '12.00', '13.00'])
    const { page, open, allowStatus } = await site.visit({ as: admin })
    allowStatus(409)
    await open('/admin/payouts?status=pending&search=Bulk')
    await page.getByLabel(/^Select all 3 pending/).check()
    await page.getByRole('button', { name: 'Approve selected' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve several payouts' })
    const items = dialog.getByRole('list', { name: 'Payouts' }).getByRole('listitem')
    const last = await dialog
      .getByText(/^\$\d+\.\d\d$/)
      .last()
      .innerText()
    await page.route('**/api/admin/payouts/*', async (route) => {
      const request = route.request()
      sent += request.method() === 'PATCH' ? 1 : 0
      if (request.method() === 'PATCH' && sent === 3)
        return route.fulfill({ status: 409, json: { message: 'Somebody was faster' } })
      return route.continue()
    })
    let sent = 0
    await dialog.getByRole('button', { name: 'Approve 3 payouts' }).click()
    await dialog.getByText('2 approved, 1 failed').waitFor()
    expect(await items.first().innerText()).toContain('Somebody was faster')
    expect(await items.first().innerText()).toContain(last)
  })

  it('see the figure that orders a list of users', async () => {
    const admin = await site.portal.admin()
    await admin.post('/api/admin/users', { fullName: 'Rich Orderly', email: newEmail() })
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/users')
    expect(await page.getByRole('columnheader', { name: 'Balance' }).count()).toBe(0)
    await openFilters(page)
    await page.getByLabel('Order', { exact: true }).selectOption('Highest balance')
    await page.getByRole('columnheader', { name: /Balance/ }).waitFor()
    await page
      .locator('[data-row]')
      .first()
      .getByText(/^\$[\d,]+\.\d\d$/)
      .waitFor()
  })
})

describeSite('a trader on a page with changes', (site) => {
  it('is asked before they are lost by leaving', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    await open('/settings')
    await page.getByLabel('City').waitFor()
    // Leaving is faster than code that loads with the first change.
    const { release } = await hold(page, '**/*.js')
    await page.getByLabel('City').fill('Bern')
    await openNavigation(page)
    await page.getByRole('link', { name: 'Certificates' }).click()
    release()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('City').inputValue()).toBe('Bern')
    await openNavigation(page)
    await page.getByRole('link', { name: 'Certificates' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('/certificates')
  })
})
