import { expect, it } from 'vitest'
import { traderWithRequests } from './admin-people.ts'
import { describeSite, narrowWidths } from './kit.ts'

const NAME = 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff'

describeSite('dialogs and menus of the administration', (site) => {
  it(
    'are accessible and fit in both themes, on desktop and phone, and never scroll sideways at any narrow width',
    { timeout: 300_000 },
    async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, NAME, ['100.00', '99999999.99'])
      await admin.patch(`/api/admin/payouts/${trader.id}-a1-p1`, {
        status: 'rejected',
        adminNotes: 'A long note that says at length why this request can not be paid out as it is',
      })
      const { page, open, follow, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: admin })
      await open('/admin/users')
      // By form: the title, and the field that has the focus first.
      const dialogs = {
        '': [NAME],
        edit: ['Edit User', 'Full Name'],
        platform: ['Edit trading platform', 'Platform'],
        risk: ['Edit risk management', 'Daily Drawdown Limit'],
        certificate: ['Upload Certificate', 'Certificate Name'],
        ban: ['Ban User', 'Ban Reason'],
        breached: ['Set Breached', 'Rule'],
        'under-review': ['Set Under Review', 'Reason'],
      } as const
      for (const [form, [title, first]] of Object.entries(dialogs)) {
        await follow(`/admin/users?user=${trader.id}&form=${form}`)
        const dialog = page.getByRole('dialog', { name: title })
        await dialog.waitFor()
        if (first !== undefined)
          await expect
            .poll(() => dialog.getByLabel(first, { exact: true }).evaluate((field) => field === document.activeElement))
            .toBe(true)
        await expectGoodLook()
        if (form === '' || form === 'certificate') await expectNoSidewaysScroll(...narrowWidths)
        await follow('/admin/users')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await open('/admin/payouts?search=Hubert')
      await page
        .getByRole('button', { name: `Actions for ${NAME}` })
        .first()
        .click()
      await page.getByRole('menu').waitFor()
      await expectGoodLook()
      await page.getByRole('menuitem', { name: 'Reject' }).click()
      await page.getByRole('dialog', { name: 'Reject payout' }).waitFor()
      await expectGoodLook()
      await open('/admin?search=Hubert')
      await page.getByRole('button', { name: 'Delete' }).first().click()
      await page.getByRole('alertdialog').waitFor()
      await expectGoodLook()
    },
  )
})
