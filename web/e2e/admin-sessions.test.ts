import { expect, it } from 'vitest'
import { until } from '#test-support/until.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite } from './kit.ts'

describeSite('access to the administration', (site) => {
  it('without a session every page leads to sign-in and back', async () => {
    const { page, open, allowStatus } = await site.visit()
    allowStatus(401)
    for (const path of ['/admin', '/admin/dashboard', '/admin/payouts', '/admin/users?search=Ada']) {
      await page.goto(path)
      await page.waitForURL('**/auth')
    }
    await page.getByLabel('Access Key', { exact: true }).fill(site.portal.adminKey)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.waitForURL('**/admin/users?search=Ada')
    await open('/admin/dashboard')
  })

  it('an administrator whose session ends signs in and returns to the page', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Session Ender'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: admin })
    allowStatus(401)
    await open('/admin/users?search=Session+Ender')
    await page.getByText('1 of 1 users').waitFor()
    await admin.post('/api/admin/logout')
    // The next request is refused, unless the page learned of the end before.
    await page
      .getByRole('columnheader', { name: 'Email' })
      .getByRole('button')
      .click({ timeout: 2_000 })
      .catch(() => undefined)
    await page.waitForURL('**/auth')
    await expectToast(
      'Session ended',
      'It was ended elsewhere: by a sign-out, a change of how you sign in, or your firm. Please sign in again.',
    )
    await page.getByLabel('Access Key', { exact: true }).fill(site.portal.adminKey)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.waitForURL(/\/admin\/users\?search=Session\+Ender/)
    await page.getByText('1 of 1 users').waitFor()
  })

  it('a change refused for an ended session says so', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Session Changer'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: admin })
    allowStatus(401)
    await open('/admin/users?search=Session+Changer')
    await page.route('**/account', (route) =>
      route.fulfill({ status: 401, json: { message: 'You are not signed in', code: 'session-expired' } }),
    )
    await page.getByRole('button', { name: 'Actions for Session Changer' }).click()
    await page.getByRole('menuitem', { name: 'Set Active' }).click()
    await page.waitForURL('**/auth')
    await expectToast(
      'Session ended',
      'It expired: it was not used for too long, or was as old as a session may be. Please sign in again.',
    )
  })

  it('an auditor sees everything and can change nothing', async () => {
    const admin = await site.portal.admin()
    const auditor = await site.portal.auditor()
    const trader = await traderWithRequests(site.portal, admin, 'Grace Audited', ['120.00'])
    const { page, open } = await site.visit({ as: auditor })
    await open('/admin/users?search=Grace+Audited')
    await page.getByText('You are signed in as an auditor').waitFor()
    expect(await page.getByRole('button', { name: 'Add User' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Actions for Grace Audited' }).click()
    await page.getByRole('menu').waitFor()
    await expect
      .poll(() => page.getByRole('menuitem').allInnerTexts())
      .toEqual(['Your role does not allow changes here', 'View Full Details'])
    await page.getByRole('menuitem', { name: 'View Full Details' }).click()
    const dialog = page.getByRole('dialog', { name: 'Grace Audited' })
    await dialog.getByRole('heading', { name: 'Risk management' }).waitFor()
    expect(await dialog.getByRole('button', { name: /Edit|Upload/ }).count()).toBe(0)
    await page.goto(`/admin/users?user=${trader.id}&form=edit`)
    await dialog.getByRole('heading', { name: 'Risk management' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await open('/admin/payouts?search=Grace+Audited')
    const row = page.locator('tbody [data-row]')
    await row.focus()
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    const request = page.getByRole('dialog', { name: 'Payout request' })
    await request.waitFor()
    expect(await request.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    await open('/admin?search=Grace+Audited')
    await row.waitFor()
    expect(await page.getByRole('button', { name: /^(Edit|Delete)$/ }).count()).toBe(0)
  })

  it('changes by another administrator appear without a reload', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Live Person'])
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/users?search=Live+Person')
    const row = page.locator('tbody [data-row]')
    await row.getByText('Pending', { exact: true }).waitFor()
    await admin.patch(`/api/admin/user/${person?.id}/account`, { status: 'breached' })
    await row.getByText('Breached', { exact: true }).waitFor()
  })

  it('a new member of staff appears without a reload', async () => {
    const admin = await site.portal.admin()
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/staff')
    const members = page.getByRole('table', { name: 'Members of staff' })
    await members.getByText('ADMIN_ACCESS_KEY').waitFor()
    await admin.post('/api/admin/staff', { name: 'Live Member', role: 'auditor', expiresAt: null })
    await members.getByText('Live Member').waitFor()
  })

  it('the palette finds a trader and offers actions', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Palette Person'])
    await admin.patch(`/api/admin/user/${person?.id}/account`, { login: '88001' })
    const { page, open, expectToast } = await site.visit({ as: admin })
    await open('/admin/dashboard')
    const find = async (typed: string, action: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
      await page.keyboard.type(typed)
      await page
        .getByRole('option', { name: /Palette Person/ })
        .and(page.locator('[data-selected=true]'))
        .waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: action }).waitFor()
      await page.keyboard.type(action)
      await page.getByRole('option', { name: action }).and(page.locator('[data-selected=true]')).waitFor()
      await page.keyboard.press('Enter')
    }
    await find('palette per', 'Enable payouts')
    await expectToast('Payout status updated')
    await find('88001', 'Ban user')
    const ban = page.getByRole('dialog', { name: 'Ban User' })
    await ban.getByLabel('Ban Reason').fill('Chargeback')
    await ban.getByRole('button', { name: 'Ban User' }).click()
    await expectToast('User status updated')
    await ban.waitFor({ state: 'detached' })
    await find(person?.email ?? '', 'Unban user')
    await until(
      async () => !/"banned":true/.test((await admin.get(`/api/admin/user/${person?.id}`)).text),
      'the ban to be lifted',
    )
    await find('palette per', 'Open details')
    await page.getByRole('dialog', { name: 'Palette Person' }).waitFor()
    await page.keyboard.press('Escape')
    await find('palette per', 'Go to payouts')
    await page.waitForURL(`**/admin/payouts?of=${person?.id}`)
    await page.getByText('No payout requests found').waitFor()
  })
})
