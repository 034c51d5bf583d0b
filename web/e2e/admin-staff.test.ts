import { mkdirSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '#test-support/until.ts'
import { traderWithRequests } from './admin-people.ts'
import { describeSite, openNavigation, type Visit } from './kit.ts'

describeSite(
  'staff',
  (site) => {
    it('are added, changed, given a new key and revoked; each key is shown once', async () => {
      const admin = await site.portal.admin()
      const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
      await open('/admin/dashboard')
      await openNavigation(page)
      await page.getByRole('link', { name: 'Staff' }).click()
      const table = page.getByRole('table', { name: 'Members of staff' })
      await table.getByText('ADMIN_ACCESS_KEY').waitFor()
      await page.getByRole('table', { name: 'What each role may do' }).getByText('Approve and reject payouts').waitFor()

      // With the keyboard alone.
      await page.getByRole('button', { name: 'Add Member' }).focus()
      await page.keyboard.press('Enter')
      const form = page.getByRole('dialog', { name: 'Add Member' })
      await form.waitFor()
      await page.keyboard.press('Enter')
      await form.getByText('Required').first().waitFor()
      await page.keyboard.type('Dana Roe, payouts desk')
      await form.getByLabel('Role').selectOption('payouts')
      await form.getByLabel('Key expires').fill('2099-12-31')
      await form.getByLabel('Name').focus()
      await look({ page }, 'member-form')
      await page.keyboard.press('Enter')
      const shown = page.getByRole('dialog', { name: 'The new access key' })
      const key = await shown.getByTestId('new-access-key').innerText()
      expect(key).toMatch(/^pdk_/)
      await look({ page }, 'new-key')
      await shown.getByRole('button', { name: 'Done' }).click()
      await expectToast('Member added')
      const row = table.locator('[data-row]', { hasText: 'Dana Roe, payouts desk' })
      await row.getByText('Payouts', { exact: true }).waitFor()
      expect(await page.content()).not.toContain(key)

      const dana = site.portal.browser()
      expect((await dana.post('/api/admin/login', { accessKey: key })).status).toBe(200)
      await row.getByRole('button', { name: /Actions for Dana/ }).click()
      await page.getByRole('menuitem', { name: 'Change Member' }).click()
      const change = page.getByRole('dialog', { name: 'Change Member' })
      expect(await change.getByLabel('Key expires').inputValue()).toBe('2099-12-31')
      await change.getByLabel('Role').selectOption('support')
      await change.getByRole('button', { name: 'Save Changes' }).click()
      await expectToast('Member changed', 'Dana Roe, payouts desk: every session is ended.')
      await row.getByText('Support', { exact: true }).waitFor()
      expect((await dana.get('/api/admin/stats')).status).toBe(401)

      await row.getByRole('button', { name: /Actions for Dana/ }).click()
      await page.getByRole('menuitem', { name: 'Replace Key' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replace Key' }).click()
      const second = await shown.getByTestId('new-access-key').innerText()
      expect(second).not.toBe(key)
      await shown.getByRole('button', { name: 'Done' }).click()
      expect((await dana.post('/api/admin/login', { accessKey: key })).status).toBe(401)

      await expectGoodLook()
      await looks({ page }, 'staff')
      await row.getByRole('button', { name: /Actions for Dana/ }).click()
      await page.getByRole('menuitem', { name: 'Revoke Access' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Access' }).click()
      await expectToast('Access revoked', 'Dana Roe, payouts desk is signed out for good.')
      await row.getByText('Revoked').waitFor()
      expect(await row.getByRole('button').count()).toBe(0)
    })

    it('make and revoke keys of programs; each is shown once', async () => {
      const { page, open, expectToast, expectGoodLook } = await site.visit({ as: await site.portal.admin() })
      await open('/admin/staff')
      const table = page.getByRole('table', { name: 'Keys of programs' })
      await page.getByText('No program calls this portal yet.').waitFor()
      await page.getByRole('button', { name: 'Make Key' }).click()
      const form = page.getByRole('dialog', { name: 'Make Key' })
      await form.getByRole('button', { name: 'Make Key' }).click()
      await form.getByText('Please choose what the program may do').waitFor()
      await form.getByLabel('Program').fill('Shop')
      await form.getByLabel('Enrol traders').check()
      await form.getByLabel('Expires').fill('2099-12-31')
      await expectGoodLook()
      await look({ page }, 'key-form')
      await form.getByRole('button', { name: 'Make Key' }).click()
      const shown = page.getByRole('dialog', { name: 'The new key' })
      const key = await shown.getByTestId('new-api-key').innerText()
      expect(key).toMatch(/^pdp_/)
      await look({ page }, 'new-api-key')
      await shown.getByRole('button', { name: 'Done' }).click()
      await expectToast('Key made', 'Shop can call the portal with it.')
      const row = table.locator('[data-row]', { hasText: 'Shop' })
      await row.getByText('Valid').waitFor()
      expect(await page.content()).not.toContain(key)
      const call = () =>
        site.portal.browser().post('/api/enrolments', {}, { headers: { authorization: `Bearer ${key}` } })
      expect((await call()).status).toBe(400)
      await looks({ page }, 'keys')
      await row.getByRole('button', { name: 'Revoke the key of Shop' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Key' }).click()
      await expectToast('Key revoked')
      await row.getByText('Revoked').waitFor()
      expect((await call()).status).toBe(401)
    })

    it('with another role see only what it allows', async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, 'Grace Supported', ['120.00'])
      await admin.patch(`/api/admin/user/${trader.id}/account`, {
        login: '4711',
        masterPassword: 'broker-secret',
        server: 'Live',
      })
      const { page, open } = await site.visit({ as: await site.portal.member('support', { name: 'Kim' }) })
      await open('/admin/users?search=Grace+Supported')
      await page.getByText('Your role is Support').waitFor()
      expect(await page.getByRole('link', { name: /^(Staff|Export CSV)$/ }).count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Add User' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Actions for Grace Supported' }).click()
      await page.getByRole('menu').waitFor()
      await expect
        .poll(() => page.getByRole('menuitem').allInnerTexts())
        .toEqual(['View Full Details', 'Edit User Details', 'Ban User'])
      await page.getByRole('menuitem', { name: 'Edit User Details' }).click()
      const edit = page.getByRole('dialog', { name: 'Edit User' })
      await edit.getByLabel('City').fill('Paris')
      expect(await edit.getByLabel('Balance').count()).toBe(0)
      await edit.getByRole('button', { name: 'Save Changes' }).click()
      await edit.waitFor({ state: 'detached' })
      await until(async () => JSON.stringify((await trader.get('/api/user')).body).includes('Paris'), 'the new city')
      await open('/admin/payouts?search=Grace+Supported')
      const row = page.locator('tbody [data-row]')
      await row.focus()
      await page.keyboard.press('a')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Payout request' }).waitFor()
      expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    })

    it('are told that their role does not open a page, and not to try again', async () => {
      const { page, open, allowStatus } = await site.visit({
        as: await site.portal.member('payouts', { name: 'Pat' }),
      })
      allowStatus(403)
      await open('/admin/staff')
      const refusal = page.getByRole('alert').filter({ hasText: 'The members could not be loaded' })
      await refusal.waitFor()
      expect(await page.getByRole('alert').count()).toBe(1)
      expect(await page.getByRole('button', { name: /Try again|Make Key/ }).count()).toBe(0)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('Sta')
      await page.getByRole('option', { name: 'Imports of statements' }).waitFor()
      expect(await page.getByRole('option', { name: 'Staff' }).count()).toBe(0)
    })

    it('of support help a trader who lost the second factors, and the trader can stop that', async () => {
      const trader = await site.portal.trader({ fullName: 'Grace Locked' })
      const { body } = await trader.get('/api/user/factors/authenticator')
      const { key, setup } = z.object({ key: z.string(), setup: z.string() }).parse(body)
      const code = new TOTP({ secret: Secret.fromBase32(key) }).generate()
      expect((await trader.post('/api/user/factors/authenticator', { setup, code })).status).toBe(200)
      const { page, open, expectToast, expectGoodLook } = await site.visit({
        as: await site.portal.member('support', { name: 'Kim' }),
      })
      await open(`/admin/users?user=${trader.id}`)
      const details = page.getByRole('dialog', { name: 'Grace Locked' })
      await details.getByRole('button', { name: 'Send Password Link' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Send Password Link' }).click()
      await expectToast('Link made')
      await details.getByRole('button', { name: 'Second Factors Lost' }).click()
      const form = page.getByRole('dialog', { name: 'Second Factors Lost' })
      await form.getByRole('button', { name: 'Remove After 24 Hours' }).click()
      await form.getByText('Please choose the question').last().waitFor()
      await form.getByLabel('Question that was answered').selectOption('order-number')
      await expectGoodLook()
      await form.getByRole('button', { name: 'Remove After 24 Hours' }).click()
      await expectToast('Removal asked for')
      await details.getByText('Answered: Number of the order, and how it was paid.').waitFor()
      await details.getByRole('button', { name: 'Stop the Removal' }).waitFor()
      const own = await site.visit({ as: trader })
      await own.open('/settings')
      await own.expectGoodLook()
      await own.page.getByRole('button', { name: 'This Was Not Me: Stop It' }).click()
      await own.expectToast('Removal stopped')
      await details.getByText('Answered: Number of the order').waitFor({ state: 'detached' })
    })

    it('show a master password deliberately, and its trader sees that', async () => {
      const admin = await site.portal.admin()
      const trader = await site.portal.trader({ fullName: 'Hanna Shown' })
      await admin.patch(`/api/admin/user/${trader.id}/account`, {
        login: '4712',
        masterPassword: 'broker-secret',
        server: 'Live',
      })
      const { page, expectAccessible } = await site.visit({ as: admin })
      await page.goto(`/admin/users?user=${trader.id}`)
      const dialog = page.getByRole('dialog', { name: 'Hanna Shown' })
      await dialog.getByText('Showing it is recorded, and the trader sees it.').waitFor()
      expect(await page.content()).not.toContain('broker-secret')
      await dialog.getByRole('button', { name: 'Show the master password' }).press('Enter')
      await dialog.getByText('broker-secret', { exact: true }).waitFor()
      await expectAccessible()
      await looks({ page }, 'show')
      await dialog.getByRole('button', { name: 'Hide the master password' }).press('Enter')
      await dialog.getByText('broker-secret', { exact: true }).waitFor({ state: 'detached' })

      // A form that is saved unchanged leaves the password as it is.
      await dialog.getByRole('region', { name: 'Trading platform' }).getByRole('button', { name: 'Edit' }).click()
      const form = page.getByRole('dialog', { name: 'Edit trading platform' })
      await form.getByLabel('Server').fill('Demo')
      await form.getByRole('button', { name: 'Save Changes' }).click()
      await form.waitFor({ state: 'detached' })
      expect((await trader.get('/api/user/account')).body).toMatchObject({
        masterPassword: 'broker-secret',
        server: 'Demo',
      })

      const own = await site.visit({ as: trader })
      await own.open('/history')
      await own.page.getByText('Staff looked at your trading password').waitFor()
      expect(await own.page.content()).not.toContain('ADMIN_ACCESS_KEY')
      await looks(own, 'trader-history')
    })

    it('approve a large payout together', async () => {
      const admin = await site.portal.admin()
      const trader = await traderWithRequests(site.portal, admin, 'Iris Large', ['5000.00'])
      const first = await site.visit({ as: await site.portal.member('payouts', { name: 'Dana' }) })
      const second = await site.visit({ as: await site.portal.member('payouts', { name: 'Robin' }) })
      const approve = async ({ page, open }: Visit) => {
        await open('/admin/payouts?search=Iris+Large')
        await page.locator('tbody [data-row]').focus()
        await page.keyboard.press('a')
        return page.getByRole('dialog', { name: 'Approve payout' })
      }
      const dialog = await approve(first)
      await dialog.getByText('Two members of staff have to approve this payout. None has yet.').waitFor()
      await looks(first, 'two-needed-dialog')
      await dialog.getByRole('button', { name: 'Approve' }).press('Enter')
      await first.expectToast('First approval given: 1 of 2')
      await first.page.locator('tbody [data-row]').getByText('1 of 2').waitFor()
      await first.expectGoodLook()
      await looks(first, 'one-of-two-list')

      const own = await approve(first)
      await own.getByText('You gave the first approval').waitFor()
      expect(await own.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
      await looks(first, 'one-of-two-own')

      // The preview of several says in advance which of them take two.
      await second.open('/admin/payouts?search=Iris+Large')
      await second.page.getByLabel('Select the payout of $5,000.00 to Iris Large').check()
      await second.page.getByRole('button', { name: 'Approve selected' }).click()
      const several = second.page.getByRole('dialog', { name: 'Approve several payouts' })
      await several.getByText('1 payout, $5,000.00. Each gets its own entry. 1 of them needs two approvals.').waitFor()
      await several.getByText('Dana gave the first approval. Yours would be the second, and final.').waitFor()

      const other = await approve(second)
      await other.getByText('Dana gave the first approval. Yours would be the second, and final.').waitFor()
      await looks(second, 'one-of-two-dialog')
      await other.getByRole('button', { name: 'Approve' }).press('Enter')
      await second.expectToast('Payout approved successfully')
      await second.page.locator('tbody [data-row]').getByText('Approved', { exact: true }).waitFor()
      await until(
        async () => JSON.stringify((await trader.get('/api/user/payouts')).body).includes('approved'),
        'the verdict',
      )
    })
  },
  { environment: { SECOND_APPROVAL_ABOVE: '1000' } },
)

/** Pictures for people who look, where STAFF_PICTURES names a folder. */
const folder = process.env['STAFF_PICTURES']

async function look({ page }: Pick<Visit, 'page'>, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' })
}

/** Both widths in both themes. */
async function looks({ page }: Pick<Visit, 'page'>, name: string): Promise<void> {
  if (folder === undefined) return
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await look({ page }, `${name}-${width}-${colorScheme}`)
    }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}
