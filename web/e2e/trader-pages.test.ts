import { expect, it } from 'vitest'
import { newEmail } from '#test-support/portal.ts'
import { uploadCertificate } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'

describeSite('settings, certificates and account sizes', (site) => {
  it('changes only the editable profile fields, and reports invalid ones', async () => {
    const [trader, other] = await Promise.all([site.portal.trader(), site.portal.trader()])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    await open('/settings')
    expect(await page.getByLabel('Full Name').getAttribute('readonly')).not.toBeNull()
    await page.getByText('Your name cannot be changed').waitFor()
    const save = page.getByRole('button', { name: 'Save Changes' })
    expect(await save.isDisabled()).toBe(true)
    await page.getByLabel('City').fill('Cambridge')
    expect(await save.isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('City').inputValue()).toBe('London')
    expect(await save.isDisabled()).toBe(true)

    const email = newEmail()
    await page.getByLabel('Email', { exact: true }).fill(email)
    const profile = page.locator('form').filter({ hasText: 'Full Name' })
    await profile.getByLabel('Current Password').fill(trader.password)
    await page.getByLabel('Country').selectOption('Germany')
    const request = page.waitForRequest((sent) => sent.method() === 'PATCH')
    await save.click()
    expect((await request).postDataJSON()).toEqual({
      email,
      country: 'de',
      city: 'London',
      street: 'St James Square',
      houseNumber: '12',
      currentPassword: trader.password,
    })
    await expectToast('Profile updated', 'Your profile has been updated successfully.')
    expect(await save.isDisabled()).toBe(true)
    await page.reload()
    await page.getByLabel('Email', { exact: true }).waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(email)
    expect(await page.getByLabel('Country').inputValue()).toBe('de')

    allowStatus(409)
    await page.getByLabel('Email', { exact: true }).fill('nobody')
    await profile.getByLabel('Current Password').fill(trader.password)
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await page.getByText('Please enter a valid email', { exact: true }).waitFor()
    await page.getByLabel('Email', { exact: true }).fill(other.email)
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Update failed')
  })

  it('changes the password and reports an invalid one', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, allowStatus } = await site.visit({ as: trader })
    allowStatus(400)
    await open('/settings')
    const update = page.getByRole('button', { name: 'Update Password' })
    await update.click()
    await page.getByText('Current password is required', { exact: true }).waitFor()
    await page.getByText('New password must be at least 8 characters', { exact: true }).waitFor()
    const [current, wanted, confirmed] = ['Current Password', 'New Password', 'Confirm Password'].map((label) =>
      page.getByLabel(label, { exact: true }),
    )
    await current?.fill('not mine at all')
    await wanted?.fill('x'.repeat(101))
    await confirmed?.fill('something else')
    await page.getByText('New password is too long', { exact: true }).waitFor()
    await page.getByText('Passwords do not match', { exact: true }).waitFor()
    await wanted?.fill('a better horse')
    await confirmed?.fill('a better horse')
    await update.click()
    await expectToast('Update failed', 'Your current password is not correct')
    await current?.fill(trader.password)
    await update.click()
    await expectToast('Password updated', 'Your password has been updated successfully.')
    expect(await current?.inputValue()).toBe('')
    const { status } = await site.portal
      .browser()
      .post('/api/login', { email: trader.email, password: 'a better horse' })
    expect(status).toBe(200)
  })

  it('shows new certificates and opens them in a new tab', async () => {
    const [trader, admin] = await Promise.all([site.portal.trader(), site.portal.admin()])
    const { page, context, open } = await site.visit({ as: trader })
    const listening = page.waitForResponse('**/api/live*')
    await open('/certificates')
    await listening
    await page.getByRole('tab', { name: 'All Certificates' }).waitFor()
    await page.getByText('No certificates yet').waitFor()
    await page.getByText('Your certificates will appear here when they are issued by the admin.').waitFor()
    await uploadCertificate(admin, { userId: trader.id, name: 'Phase 1 passed', issuedAt: '2026-03-14' })
    const row = page.getByRole('row', { name: /Phase 1 passed/ })
    await row.getByText('Mar 14, 2026').waitFor()
    const headings = await page.getByRole('columnheader').allTextContents()
    expect(headings).toEqual(['Certificate Name', 'Issued Date', 'Added Date', 'Download'])
    const link = row.getByRole('link', { name: 'Download' })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    const file = context.waitForEvent('request', (request) => request.url().endsWith('/file'))
    const [tab] = await Promise.all([context.waitForEvent('page'), link.click()])
    const response = await (await file).response()
    expect(response?.status()).toBe(200)
    expect(response?.headers()['content-type']).toContain('application/pdf')
    expect(tab).not.toBe(page)
  })

  it('reports certificates that cannot be loaded', async () => {
    const trader = await site.portal.trader()
    const { page, allowStatus } = await site.visit({ as: trader })
    allowStatus(500)
    await page.route('**/api/user/certificates', (route) => route.fulfill({ status: 500, json: { message: 'Broken' } }))
    await page.goto('/certificates')
    await page.getByText('Failed to load certificates. Please try refreshing the page.').waitFor()
  })

  it('sells six sizes in two challenges, each at its own checkout', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    await open('/account-sizes')
    await page.getByRole('link', { name: 'Buy $5,000 Account' }).waitFor()
    const sizes = ['$5,000', '$10,000', '$25,000', '$50,000', '$100,000', '$200,000']
    for (const size of sizes) await page.getByRole('link', { name: `Buy ${size} Account` }).waitFor()
    const first = page.getByRole('link', { name: 'Buy $5,000 Account' })
    expect(await first.getAttribute('target')).toBe('_blank')
    expect(await first.getAttribute('rel')).toBe('noopener noreferrer')
    const oneStep = await first.getAttribute('href')
    await page.getByRole('tab', { name: /Phase 2/ }).click()
    await page.waitForURL('/account-sizes?phase=2')
    await page.getByText('Phase 2 Target').first().waitFor()
    expect(await first.getAttribute('href')).not.toBe(oneStep)
  })
})
