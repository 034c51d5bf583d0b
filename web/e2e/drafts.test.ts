import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite, openNavigation, signIn, typedTextIsBack } from './kit.ts'

/** Typed text survives the end of the session and a reload: for the same person only, and never a secret. */

const endedWords =
  'It was ended elsewhere: by a sign-out, a change of how you sign in, or your firm. Please sign in again: what you typed is kept.'

describeSite('what somebody typed', (site) => {
  const signInAsStaff = async (page: Page) => {
    await page.getByLabel('Access Key', { exact: true }).fill(site.portal.adminKey)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
  }

  it.each([1280, 390])('in the profile is there again after the sign-in, but no password, at %i px', async (width) => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader, width })
    allowStatus(401)
    await open('/settings')
    await page.getByLabel('City').fill('Bern')
    await page.getByLabel('Country').selectOption({ index: 3 })
    const country = await page.getByLabel('Country').inputValue()
    await page.getByLabel('Email', { exact: true }).fill('new-address@example.com')
    const profile = page.locator('form').filter({ has: page.getByLabel('City') })
    await profile.getByLabel('Current Password', { exact: true }).fill('a very secret one')
    await profile.getByRole('button', { name: 'Show what is typed' }).click()
    await trader.post('/api/logout')
    await profile.getByRole('button', { name: 'Save Changes' }).click()
    await page.waitForURL('**/auth')
    await expectToast('Session ended', endedWords)
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).not.toContain('a very secret one')
    await signIn(page, trader)
    await page.waitForURL('**/settings')
    await typedTextIsBack(page)
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Bern')
    await expect.poll(() => page.getByLabel('Country').inputValue()).toBe(country)
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe('new-address@example.com')
    expect(await profile.getByLabel('Current Password', { exact: true }).inputValue()).toBe('')
    // Given up, it does not come back.
    await profile.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.getByLabel('City').waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
  })

  it('in a request of a payout is there again after a reload, and nothing of it once it is sent', async () => {
    const trader = await eligibleTrader(site.portal, await site.portal.admin())
    const { page, open, expectToast } = await site.visit({ as: trader })
    page.on('dialog', (leaving) => void leaving.accept())
    await open('/payouts')
    await page.getByLabel('Amount').fill('12.50')
    await page.getByLabel('Payment Method').selectOption('paypal')
    await page.getByLabel('PayPal email').fill('ada@example.com')
    await page.reload()
    await typedTextIsBack(page)
    await expect.poll(() => page.getByLabel('PayPal email').inputValue()).toBe('ada@example.com')
    expect(await page.getByLabel('Amount').inputValue()).toBe('12.50')
    await page.getByRole('button', { name: 'Request Payout' }).click()
    await expectToast('Payout requested')
    await page.reload()
    await page.getByLabel('Amount').waitFor()
    expect(await page.getByLabel('Amount').inputValue()).toBe('')
  })

  it('in dialogs of staff is there again in the same dialog about the same thing', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Draft Keeper'])
    const asker = await traderWithRequests(site.portal, admin, 'Draft Asker', ['21.00', '22.00', '21.00'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: admin })
    allowStatus(401)
    await open('/admin/users?search=Draft+Keeper')
    await page.getByRole('button', { name: 'Actions for Draft Keeper' }).click()
    await page.getByRole('menuitem', { name: 'View Full Details' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Edit User' }).click()
    const form = page.getByRole('dialog', { name: 'Edit User' })
    await form.getByLabel('City').fill('Basel')
    await admin.post('/api/admin/logout')
    await form.getByRole('button', { name: 'Save Changes' }).click()
    await page.waitForURL('**/auth')
    await expectToast('Session ended', endedWords)
    await signInAsStaff(page)
    await typedTextIsBack(page)
    await expect.poll(() => form.getByLabel('City').inputValue()).toBe('Basel')
    await form.getByRole('button', { name: 'Cancel' }).click()

    await open('/admin/payouts?status=pending&search=Draft+Asker')
    const reject = async (number: number) => {
      await page.locator(`[data-row="${asker.id}-a1-p${number}"]`).press('r')
      return page.getByRole('dialog', { name: 'Reject payout' })
    }
    page.on('dialog', (leaving) => void leaving.accept())
    await (await reject(1)).getByLabel('Admin Notes').fill('The bank account is another person’s')
    await page.reload()
    // The last one is of the same amount: nothing that is read at its dialog is another.
    for (const other of [2, 3]) {
      const dialog = await reject(other)
      await dialog.getByLabel('Admin Notes').waitFor()
      expect(await dialog.getByLabel('Admin Notes').inputValue()).toBe('')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    }
    await reject(1)
    await typedTextIsBack(page)
    expect(await page.getByLabel('Admin Notes').inputValue()).toBe('The bank account is another person’s')
  })

  it('is nobody else’s, and is gone after a sign-out', async () => {
    const [ada, bob] = await Promise.all([site.portal.trader(), site.portal.trader()])
    const { page, open, allowStatus } = await site.visit({ as: ada })
    allowStatus(401)
    await open('/settings')
    await page.getByLabel('Street').fill('Ada’s new street')
    await ada.post('/api/logout')
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.waitForURL('**/auth')
    await signIn(page, bob)
    await page.waitForURL('**/settings')
    await page.getByLabel('Street').waitFor()
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
    expect(await page.getByLabel('Street').inputValue()).not.toContain('Ada')
    await page.getByLabel('Street').fill('Bob’s new street')
    page.on('dialog', (leaving) => void leaving.accept())
    await openNavigation(page)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/auth')
    await signIn(page, bob)
    await page.waitForURL('/')
    await open('/settings')
    await page.getByLabel('Street').waitFor()
    expect(await page.getByLabel('Street').inputValue()).not.toContain('Bob')
  })
})
