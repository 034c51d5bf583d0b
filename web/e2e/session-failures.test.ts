import { expect, it } from 'vitest'
import { newEmail, registration } from '#test-support/portal.ts'
import { describeSite, signIn, type Visit } from './kit.ts'

/** What a person reads when signing up, or a forgotten password, fails: specification §5 and §8. */
describeSite('failures before sign-in', (site) => {
  const fillSignUp = async (page: Visit['page'], { email, password }: { email: string; password: string }) => {
    await page.getByLabel('Full Name').fill(registration.fullName)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Confirm Password', { exact: true }).fill(password)
    await page.getByLabel('Country').selectOption(registration.country)
    for (const [label, value] of [
      ['City', registration.city],
      ['Street', registration.street],
      ['House Number', registration.houseNumber],
    ] as const)
      await page.getByLabel(label).fill(value)
    await page.getByLabel('I agree to the privacy policy').check()
    await page.getByRole('button', { name: 'Sign Up' }).click()
  }

  it('refuses a password of more than 100 characters, shows why a sign-up was refused, and keeps the input', async () => {
    const trader = await site.portal.trader()
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(409)
    await open('/auth#register')
    await fillSignUp(page, { email: newEmail(), password: 'x'.repeat(101) })
    await page.getByText('Password is too long', { exact: true }).waitFor()
    await fillSignUp(page, { email: trader.email, password: 'correct horse' })
    await expectToast('Registration failed', 'This email is already registered')
    expect(await page.getByLabel('City').inputValue()).toBe(registration.city)
  })

  it('tells a trader banned without a reason to contact support', async () => {
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(403)
    await page.route('**/api/login', (route) =>
      route.fulfill({ status: 403, json: { message: 'Your account has been banned', banned: true, banReason: null } }),
    )
    await open('/auth')
    await signIn(page, { email: 'jo@example.com', password: 'correct horse' })
    await expectToast('Account Banned', 'Your account has been banned. Please contact support for assistance.')
  })

  it('shows that a reset mail could not be requested, and whether the server answered as it should', async () => {
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(500, 502)
    await open('/forgot-password')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText('Please enter a valid email address', { exact: true }).waitFor()
    await page.getByLabel('Email', { exact: true }).fill('jo@example.com')
    for (const { message, ...answer } of [
      { status: 500, json: {}, message: 'Failed to send reset email' },
      { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>', message: 'Invalid server response' },
    ]) {
      await page.route('**/api/forgot-password', (route) => route.fulfill(answer))
      await page.getByRole('button', { name: 'Send reset link' }).click()
      await expectToast('Error', message)
      await page.unroute('**/api/forgot-password')
    }
  })

  it('reports an expired link and an empty answer', async () => {
    const { page, open, expectToast, allowStatus } = await site.visit()
    allowStatus(400, 500)
    await open('/reset-password?token=used-already')
    const reset = async () => {
      await page.getByLabel('New Password', { exact: true }).fill('a new password')
      await page.getByLabel('Confirm Password', { exact: true }).fill('a new password')
      await page.getByRole('button', { name: 'Reset Password' }).click()
    }
    await reset()
    await expectToast('Error', 'Invalid reset token')
    await page.route('**/api/reset-password', (route) => route.fulfill({ status: 500, json: {} }))
    await reset()
    await expectToast('Error', 'Failed to reset password')
  })
})
