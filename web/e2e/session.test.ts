import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail } from '#test-support/portal.ts'
import { describeSite, openNavigation, seeInNavigation, signIn } from './kit.ts'

/** The label of the field that has the focus. */
const focusedLabel = (page: Page): Promise<string | undefined> =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLInputElement ? document.activeElement.labels?.[0]?.innerText : undefined,
  )

describeSite('before a session', (site) => {
  describe('sign-in and sign-up', () => {
    it('shows each message of the sign-up form at its field, and leads a new trader from there to the dashboard', async () => {
      const { page, open } = await site.visit()
      await open('/auth')
      await page.getByRole('tab', { name: 'Sign Up' }).click()
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
      await page.getByText('Strength: good').waitFor()
      await page.getByLabel('Full Name').fill('Grace \u202EHopper')
      await page.getByText('There is an invisible character here (U+202E).', { exact: false }).waitFor()
      await page.getByLabel('Full Name').fill('Grace Hopper')
      await page.getByLabel('Email', { exact: true }).fill(newEmail())
      await page.getByLabel('Confirm Password', { exact: true }).fill('correct horse')
      await page.getByLabel('Country').selectOption('us')
      await page.getByLabel('City').fill('New York')
      await page.getByLabel('Street').fill('Broadway')
      await page.getByLabel('House Number').fill('1')
      await page.getByLabel('I agree to the privacy policy').check()
      await page.getByRole('button', { name: 'Sign Up' }).click()
      await page.waitForURL('/')
      await seeInNavigation(page, 'History')
    })

    it('signs in by keyboard alone, and shows the next user nothing after sign-out', async () => {
      const trader = await site.portal.trader()
      const { page, open } = await site.visit()
      await open('/auth')
      await expect.poll(() => focusedLabel(page)).toBe('Email')
      await page.keyboard.type(trader.email)
      await page.keyboard.press('Tab')
      await page.keyboard.type(trader.password)
      await page.keyboard.press('Enter')
      await page.waitForURL('/')
      await openNavigation(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('/auth')
      await expect.poll(() => focusedLabel(page)).toBe('Email')
      await open('/')
      await page.waitForURL('/auth')
    })

    it('focuses the first field where a keyboard is at hand, and nothing on a phone', async () => {
      const { page, open, context, allowStatus } = await site.visit()
      allowStatus(401)
      for (const [path, label] of [
        ['/auth', 'Email'],
        ['/auth#register', 'Full Name'],
        ['/forgot-password', 'Email'],
        ['/reset-password?token=none', 'New Password'],
        ['/admin/users', 'Access Key'],
      ] as const) {
        await open(path)
        await expect.poll(() => focusedLabel(page), { message: path }).toBe(label)
        // A document of its own: a changed fragment alone loads nothing.
        await page.goto('about:blank')
      }

      const phone = await context.browser()?.newContext({
        baseURL: site.portal.url,
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      })
      if (!phone) throw new Error('The context has no browser')
      onTestFinished(() => phone.close())
      const touched = await phone.newPage()
      await touched.goto('/auth')
      await touched.getByLabel('Email', { exact: true }).waitFor()
      // The frame with the field has rendered, and its effects run before the next frame.
      await touched.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      )
      expect(await focusedLabel(touched)).toBeUndefined()
      await touched.getByLabel('Email', { exact: true }).tap()
      expect(await focusedLabel(touched)).toBe('Email')
    })

    it('reports missing fields and a wrong password, and tells a banned trader the reason', async () => {
      const [trader, banned, admin] = await Promise.all([
        site.portal.trader(),
        site.portal.trader(),
        site.portal.admin(),
      ])
      await admin.patch(`/api/admin/user/${banned.id}/ban`, { banned: true, banReason: 'Copy trading' })
      const { page, open, expectToast, allowStatus } = await site.visit()
      allowStatus(401, 403)
      await open('/auth')
      await page.getByRole('button', { name: 'Login', exact: true }).click()
      await page.getByText('Please enter a valid email', { exact: true }).waitFor()
      await page.getByText('Password is required', { exact: true }).waitFor()
      await signIn(page, { email: trader.email, password: 'not the password' })
      await expectToast('Login failed', 'Invalid email or password')
      await signIn(page, banned)
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
      await openNavigation(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('/auth')
    })

    it('refuses a reset link without a token, sets a new password by a mailed one, and hides its token', async () => {
      const trader = await site.portal.trader()
      const { page, open, expectToast } = await site.visit()
      await open('/reset-password')
      await page.getByText('Invalid reset token', { exact: true }).waitFor()
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
      await signIn(page, { email: trader.email, password: 'a new password' })
      await page.waitForURL('/')
    })
  })

  describe('redirects', () => {
    it('leads a visitor from every page to sign-in, and from /partners to Sign Up', async () => {
      const { page, open } = await site.visit()
      for (const path of ['/', '/settings', '/payouts', '/certificates', '/account-sizes', '/somebody', '/admin']) {
        await open(path)
        await page.waitForURL('/auth')
        await page.getByRole('tab', { name: 'Login', selected: true }).waitFor()
      }
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

    it('answers the 404 page to what no page has, in every part', async () => {
      const { page, open, allowStatus } = await site.visit()
      allowStatus(404)
      for (const path of ['/nothing/here', '/admin/nothing', '/settings/nothing']) {
        await open(path)
        await page.getByRole('heading', { name: '404 Page Not Found' }).waitFor()
        await page.getByText('Did you forget to add the page to the router?').waitFor()
        expect(await page.title()).toContain('404 Page Not Found')
      }
    })
  })

  describe('sign-in screens', () => {
    it('of administrators is accessible and fits in both themes, on desktop and phone', async () => {
      const { page, open, expectGoodLook } = await site.visit()
      await open('/auth')
      await page.getByRole('button', { name: 'Admin Login' }).click()
      await page.getByLabel('Access Key', { exact: true }).waitFor()
      await expectGoodLook()
    })

    it('fit a window of 320 px', async () => {
      const { page, open, follow, expectNoSidewaysScroll } = await site.visit({
        width: 320,
        as: await site.portal.trader(),
      })
      await open('/')
      await expectNoSidewaysScroll()
      await page.getByRole('button', { name: 'Open menu' }).click()
      await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Settings' }).click()
      await page.waitForURL('/settings')
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await expectNoSidewaysScroll()
      await follow('/partners')
      await page.getByRole('heading', { name: 'Not possible' }).waitFor()
      await expectNoSidewaysScroll()
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
})
