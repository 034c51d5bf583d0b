import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { createReact } from '#services/portal/modules.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { passStage } from '#services/trading/stream/account.ts'
import { accountId } from '#services/framework/ids.ts'
import { describeSite, isCramped, openNavigation, type Visit } from './kit.ts'

describeSite('an enrolment', (site) => {
  it('is made by staff, who then assign the login that the tasks ask for', async () => {
    const trader = await site.portal.trader({ fullName: 'Grace Enrolled' })
    const staff = await site.visit({ as: await site.portal.admin() })
    const { page, open, expectToast, expectGoodLook } = staff
    await open(`/admin/users?user=${trader.id}`)
    const details = page.getByRole('dialog', { name: 'Grace Enrolled' })
    await details.getByText('In no programme: staff set the limits and the payouts.').waitFor()
    await details.getByRole('button', { name: 'Enrol', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Enrol', exact: true })
    await form.getByRole('button', { name: 'Enrol Trader' }).click()
    await form.getByText('Please choose a programme').last().waitFor()
    await form.getByLabel('Programme').selectOption('two-step-100000')
    await form.getByText('8% of the account size ($8,000.00) on the balance, with no open position').waitFor()
    await expectGoodLook()
    await looks(staff, 'enrol-form')
    await form.getByRole('button', { name: 'Enrol Trader' }).click()
    await expectToast('Trader enrolled')
    await details.getByText('Terms not accepted yet').waitFor()
    await details.getByText('Stage 1: Account 1').waitFor()
    await expectGoodLook()
    await looks(staff, 'details')

    // Who may do no task sees none counted.
    const payouts = await site.visit({ as: await site.portal.member('payouts') })
    await payouts.open('/admin/tasks')
    await payouts.page.locator('[data-row]', { hasText: 'Grace Enrolled' }).waitFor()
    await openNavigation(payouts.page)
    await payouts.page.getByRole('link', { name: 'Tasks', exact: true }).waitFor()

    await open('/admin/dashboard')
    await openNavigation(page)
    const link = page.getByRole('link', { name: /^Tasks/ })
    await link.getByText('1 to do').waitFor()
    await link.click()
    const row = page.getByRole('table', { name: 'Tasks' }).locator('[data-row]', { hasText: 'Grace Enrolled' })
    await row.getByText('Assign a login').waitFor()
    await row.getByText('Two-Step 100K, Phase 1').waitFor()
    await expectGoodLook()
    await looks(staff, 'tasks')
    await row.getByRole('button', { name: 'Assign Login' }).click()
    const login = page.getByRole('dialog', { name: 'Assign Login' })
    await login.getByRole('button', { name: 'Assign Login' }).click()
    await login.getByText('Please enter the login').waitFor()
    await login.getByLabel('Platform').selectOption('mt5')
    await login.getByLabel('Login', { exact: true }).fill('50990001')
    await login.getByLabel('Server').fill('Broker-MT5')
    await login.getByRole('button', { name: 'Assign Login' }).click()
    await login.getByText('Please enter the password').waitFor()
    // A program gave it only a part: the task says what is missing.
    await (await site.portal.admin()).patch(`/api/admin/accounts/${trader.id}-a1`, { login: '50990000' })
    await login.getByRole('button', { name: 'Cancel' }).click()
    await row.getByText('without platform, master password, server').waitFor()
    await row.getByRole('button', { name: 'Assign Login' }).click()
    await login.getByLabel('Platform').selectOption('mt5')
    await login.getByLabel('Login', { exact: true }).fill('50990001')
    await login.getByLabel('Server').fill('Broker-MT5')
    await login.getByLabel('Master Password').fill('trading-Secret-1')
    await login.getByRole('button', { name: 'Assign Login' }).click()
    await expectToast('Login assigned', 'Grace Enrolled: Phase 1 is active.')
    await page.getByText('No account waits for a login, for payouts or for its end.').waitFor()
    expect((await trader.get('/api/user/account', await site.portal.atEnd())).body).toMatchObject({
      ...{ status: 'active', login: '50990001', platform: 'mt5' },
    })

    // The stage is passed: the account that is over is to be closed on the platform.
    const { repositories, policyDependencies } = site.portal.running.parts
    const passed = await repositories
      .of(accountStreams)
      .decide(accountId.parse(`${trader.id}-a1`), systemContext('a test', 'a test'), ({ account }) =>
        passStage(account),
      )
    await createReact(policyDependencies)(passed)
    await row.getByText('Close on the platform').waitFor()
    await row.getByText('50990001').waitFor()
    await looks(staff, 'two-tasks')
    await row.getByRole('button', { name: 'Mark as Closed' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Mark as Closed' }).click()
    await expectToast('Closed on the platform', 'Login 50990001 of Grace Enrolled.')
    await row.getByText('Two-Step 100K, Phase 2').waitFor()
    await row.getByText('Close on the platform').waitFor({ state: 'detached' })
  })

  it('asks its trader to accept the terms, and names them beside the account', async () => {
    const [admin, trader] = [await site.portal.admin(), await site.portal.trader({ fullName: 'Edsger Enrolled' })]
    await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'two-step-50000' })
    const own = await site.visit({ as: trader })
    const { page, open, expectToast, expectGoodLook } = own
    await open('/')
    await page.getByText('Please accept the terms of Two-Step 50K').waitFor()
    await page.getByText('Your login follows.').waitFor()
    // The request leaves the account in sight.
    await page.getByRole('heading', { name: 'Maximum loss' }).waitFor()
    const limit = await page.getByRole('heading', { name: 'Maximum loss' }).boundingBox()
    if (!isCramped) expect(limit?.y).toBeLessThan(500)
    await expectGoodLook()
    await looks(own, 'asks')
    await page.getByRole('button', { name: 'Read the Terms' }).click()
    const terms = page.getByRole('dialog', { name: 'Terms of Two-Step 50K' })
    await terms.getByText('8% of the account size ($4,000.00) on the balance, with no open position').first().waitFor()
    await expectGoodLook()
    await looks(own, 'accept')
    await terms.getByRole('button', { name: 'Not Now' }).click()
    await open('/payouts')
    await page.getByText('Please accept the terms of Two-Step 50K').waitFor()
    await page
      .getByText('Payouts begin with the funded stage of Two-Step 50K. This account is in Phase 1: pass it first.')
      .first()
      .waitFor()
    await expectGoodLook()
    await page.getByRole('button', { name: 'Read the Terms' }).click()
    await terms.getByRole('button', { name: 'Accept Terms' }).click()
    await expectToast('Terms accepted')
    await page.getByText('Please accept the terms of Two-Step 50K').waitFor({ state: 'detached' })

    await open('/?tab=details')
    const programme = page.locator('section', { hasText: 'Terms Accepted' }).last()
    await programme.getByText('Two-Step 50K, version 1').waitFor()
    // The stages that the account is not in are behind their names, and a hash is what an auditor copies.
    expect(await programme.getByText('80% of the profit').isVisible()).toBe(false)
    await programme.getByText(/^Terms of Funded/).click()
    await programme.getByText('80% of the profit').waitFor()
    expect(await programme.locator('dt', { hasText: /^Account size$/i }).count()).toBe(1)
    expect(await programme.getByText(/^[0-9a-f]{8}…$/).count()).toBe(1)
    expect(await programme.getByText('Not yet').count()).toBe(0)
    await expectGoodLook()
    await looks(own, 'account-details')

    const staff = await site.visit({ as: admin })
    await staff.open(`/admin/users?user=${trader.id}`)
    const details = staff.page.getByRole('dialog', { name: 'Edsger Enrolled' })
    await details.getByText(/terms accepted/).waitFor()
    await details.getByRole('link', { name: 'Two-Step 50K, version 1' }).click()
    await staff.page.getByRole('heading', { level: 1, name: 'Two-Step 50K' }).waitFor()
  })

  it('can be bought by its terms in plain words', async () => {
    const shop = await site.visit({ as: await site.portal.trader() })
    await shop.open('/account-sizes?phase=2')
    await shop.page.getByRole('button', { name: 'All Terms of the $100,000 account' }).click()
    const dialog = shop.page.getByRole('dialog', { name: '$100,000, Two-Step Challenge' })
    await dialog.getByText('The terms of Two-Step 100K, version 1, for a purchase now.').waitFor()
    await dialog.getByText('8% of the account size ($8,000.00) on the balance, with no open position').waitFor()
    await shop.expectGoodLook()
    await looks(shop, 'offer-terms')
  })
})

/** Pictures for people who look, where SHOTS names a folder. */
const folder = process.env['SHOTS']

async function looks({ page }: Pick<Visit, 'page'>, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: width < 768 ? 844 : 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, animations: 'disabled' })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}
