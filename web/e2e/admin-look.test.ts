import { expect, it } from 'vitest'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite, narrowWidths } from './kit.ts'

describeSite('administration screens', (site) => {
  const paths = ['/admin/dashboard', '/admin/users', '/admin/payouts', '/admin', '/admin?tab=payouts']

  it('is accessible and fits in both themes, on desktop and phone', async () => {
    const admin = await site.portal.admin()
    const [banned] = await createUsers(admin, ['Banned Person'])
    await admin.patch(`/api/admin/user/${banned?.id}/ban`, { banned: true, banReason: 'Account sharing' })
    const trader = await traderWithRequests(site.portal, admin, 'Looked At', ['100.00', '200.00'])
    await admin.patch(`/api/admin/payouts/${trader.id}-p1`, {
      status: 'rejected',
      adminNotes: 'A long note that says at length why this request can not be paid out as it is',
    })
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    for (const path of paths) {
      await open(path)
      await page.locator('tbody [data-row]').first().waitFor()
      await expectGoodLook()
    }
    // By form: the title, and the field that has the focus first.
    const dialogs = {
      '': ['Looked At'],
      edit: ['Edit User', 'Full Name'],
      platform: ['Edit trading platform', 'Login'],
      risk: ['Edit risk management', 'Daily Drawdown Limit'],
      certificate: ['Upload Certificate', 'Certificate Name'],
      ban: ['Ban User', 'Ban Reason'],
      breached: ['Set Breached', 'Rule'],
      'under-review': ['Set Under Review', 'Reason'],
    } as const
    for (const [form, [title, first]] of Object.entries(dialogs)) {
      await page.goto(`/admin/users?user=${trader.id}&form=${form}`)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.waitFor()
      if (first !== undefined)
        await expect.poll(() => dialog.getByLabel(first, { exact: true }).evaluate((field) => field === document.activeElement)).toBe(true)
      await expectGoodLook()
    }
    await open('/admin/payouts?search=Looked')
    await page.getByRole('button', { name: 'Actions for Looked At' }).first().click()
    await page.getByRole('menu').waitFor()
    await expectGoodLook()
    await page.getByRole('menuitem', { name: 'Reject' }).click()
    await page.getByRole('dialog', { name: 'Reject payout' }).waitFor()
    await expectGoodLook()
    await open('/admin?search=Looked')
    await page.getByRole('button', { name: 'Delete' }).first().click()
    await page.getByRole('alertdialog').waitFor()
    await expectGoodLook()
  })

  it('never scrolls sideways at any narrow width', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff', ['99999999.99'])
    const { page, open, expectNoSidewaysScroll } = await site.visit({ as: admin })
    for (const path of paths) {
      await open(path)
      await page.locator('tbody [data-row]').first().waitFor()
      await expectNoSidewaysScroll(...narrowWidths)
    }
    for (const form of ['', 'certificate']) {
      await page.goto(`/admin/users?user=${trader.id}&form=${form}`)
      await page.getByRole('dialog', { name: form === '' ? /Hubert/ : 'Upload Certificate' }).waitFor()
      await expectNoSidewaysScroll(...narrowWidths)
    }
  })
})
