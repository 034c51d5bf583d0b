import { expect, it } from 'vitest'
import { tokenOf } from '../../test-support/mail-links.ts'
import { newEmail } from '../../test-support/portal.ts'
import { describeSite } from './kit.ts'

describeSite('sign-in and sign-up', (site) => {
  const signIn = async (page: Awaited<ReturnType<typeof site.visit>>['page'], email: string, password: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
  }

  it('leads a new trader from sign-up to the dashboard', async () => {
    const { page, open } = await site.visit()
    await open('/auth')
    await page.getByRole('tab', { name: 'Sign Up' }).click()
    await page.getByLabel('Full Name').fill('Grace Hopper')
    await page.getByLabel('Email', { exact: true }).fill(newEmail())
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByLabel('Confirm Password', { exact: true }).fill('correct horse')
    await page.getByLabel('Country').selectOption('us')
    await page.getByLabel('City').fill('New York')
    await page.getByLabel('Street').fill('Broadway')
    await page.getByLabel('House Number').fill('1')
    await page.getByLabel('I agree to the privacy policy').check()
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await page.waitForURL('/')
    await page.getByRole('navigation', { name: 'Trader' }).waitFor()
  })

  it('shows each message of the sign-up form at its field', async () => {
    const { page, open } = await site.visit()
    await open('/auth#register')
    await page.getByRole('button', { name: 'Sign Up' }).click()
    const messages = [
      'Full name must be at least 2 characters',
      'Please enter a valid email',
      'Password must be at least 8 characters',
      'Please confirm your password',
      'You must agree to the privacy policy',
    ]
    for (const message of messages) await page.getByText(message, { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Required', { exact: true }).count()).toBe(4)
    expect(await page.getByLabel('Street').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByLabel('Confirm Password', { exact: true }).fill('another horse')
    await page.getByText('Passwords do not match', { exact: true }).waitFor()
  })

  it('signs in by keyboard alone', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit()
    await open('/auth')
    await page.getByLabel('Email', { exact: true }).focus()
    await page.keyboard.type(trader.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(trader.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('/')
  })

  it('reports a wrong password and missing fields', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(401)
    await open('/auth')
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.getByText('Please enter a valid email', { exact: true }).waitFor()
    await page.getByText('Password is required', { exact: true }).waitFor()
    await signIn(page, trader.email, 'not the password')
    await expectToast('Login failed', 'Invalid email or password')
  })

  it('tells a banned trader the reason', async () => {
    const [trader, admin] = await Promise.all([site.portal.trader(), site.portal.admin()])
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Copy trading' })
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(403)
    await open('/auth')
    await signIn(page, trader.email, trader.password)
    await expectToast('Account Banned', 'Your account has been banned: Copy trading')
  })

  it('opens the administration with an access key and signs out', async () => {
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(401)
    await open('/auth')
    await page.getByRole('button', { name: 'Admin Login' }).click()
    const login = page.getByRole('button', { name: 'Login', exact: true })
    expect(await login.isDisabled()).toBe(true)
    await page.getByLabel('Access Key', { exact: true }).fill('wrong')
    await login.click()
    await expectToast('Login failed', 'Invalid access key')
    await page.getByLabel('Access Key', { exact: true }).fill(site.portal.adminKey)
    await login.click()
    await page.waitForURL('/admin/dashboard')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
  })

  it('shows the next user nothing after sign-out', async () => {
    const { page, open } = await site.visit({ as: await site.portal.trader() })
    await open('/')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/auth')
    await open('/')
    await page.waitForURL('/auth')
  })

  it('sets a new password by a mailed link and hides its token', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast } = await site.visit()
    await open('/forgot-password')
    await page.getByLabel('Email', { exact: true }).fill(trader.email)
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expectToast('Reset email sent')
    const mail = await site.portal.mailWith(trader.email, ({ text }) => /reset-password\?token=/.test(text ?? ''))
    await open(`/reset-password?token=${encodeURIComponent(tokenOf(mail))}`)
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel('New Password', { exact: true }).fill('a new password')
    await page.getByLabel('Confirm Password', { exact: true }).fill('a new password')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expectToast('Password reset successful')
    await page.waitForURL('/auth')
    await signIn(page, trader.email, 'a new password')
    await page.waitForURL('/')
  })

  it('refuses a reset link without a token', async () => {
    const { page, open } = await site.visit()
    await open('/reset-password')
    await page.getByText('Invalid reset token', { exact: true }).waitFor()
  })
})

describeSite('redirects', (site) => {
  it.each(['/', '/settings', '/payouts', '/certificates', '/account-sizes', '/somebody', '/admin'])('leads a visitor from %s to sign-in', async (path) => {
    const { page, open } = await site.visit()
    await open(path)
    await page.waitForURL('/auth')
    await page.getByRole('tab', { name: 'Login', selected: true }).waitFor()
  })

  it('leads a visitor from /partners to Sign Up', async () => {
    const { page, open } = await site.visit()
    await open('/partners')
    await page.waitForURL('/auth#register')
    await page.getByRole('tab', { name: 'Sign Up', selected: true }).waitFor()
  })

  it('refuses a signed-in trader at /partners and redirects /auth home', async () => {
    const { page, open } = await site.visit({ as: await site.portal.trader() })
    await open('/partners')
    await page.getByRole('heading', { name: 'Not possible' }).waitFor()
    await page.getByText("It's not possible since you are already signed up.").waitFor()
    await open('/auth')
    await page.waitForURL('/')
    await page.goto('/somebody')
    await page.waitForLoadState('networkidle')
    expect(await page.locator('body').innerText()).not.toMatch(/\w/)
  })

  it.each(['/nothing/here', '/admin/nothing', '/settings/nothing'])('answers %s with the 404 page', async (path) => {
    const { page, open, allowStatus } = await site.visit()
    allowStatus(404)
    await open(path)
    await page.getByRole('heading', { name: '404 Page Not Found' }).waitFor()
    await page.getByText('Did you forget to add the page to the router?').waitFor()
    expect(await page.title()).toContain('404 Page Not Found')
  })
})

describeSite('sign-in screens', (site) => {
  it('are accessible and fit in both themes, on desktop and phone', async () => {
    const { page, open, expectGoodLook, allowStatus } = await site.visit()
    allowStatus(404)
    for (const path of ['/auth', '/auth#register', '/forgot-password', '/reset-password', '/reset-password?token=x', '/nothing/here']) {
      await open(path)
      await expectGoodLook()
    }
    await open('/auth')
    await page.getByRole('button', { name: 'Admin Login' }).click()
    await page.getByLabel('Access Key', { exact: true }).waitFor()
    await expectGoodLook()
  })

  it('fit a window of 320 px', async () => {
    const { page, open, expectNoSidewaysScroll } = await site.visit({ width: 320, as: await site.portal.trader() })
    for (const path of ['/', '/settings', '/partners']) {
      await open(path)
      await expectNoSidewaysScroll()
    }
    await open('/')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('/settings')
  })

  it('keep the chosen theme', async () => {
    const { page, open } = await site.visit({ theme: 'light' })
    await open('/auth')
    await page.getByRole('button', { name: 'Theme: system. Switch to light' }).click()
    await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click()
    await page.reload()
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  })
})
