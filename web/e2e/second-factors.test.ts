import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeSite, hold, openNavigation, signIn, withPasskeys } from './kit.ts'

const CHANGED = 'Your other browsers were signed out.'

/**
 * Turns the app on in the open settings. Returns its codes by time step, 0 for the step of the code that is used
 * already.
 */
async function turnOnApp(page: Page): Promise<(later: number) => string> {
  await page.getByRole('button', { name: 'Turn On' }).click()
  const dialog = page.getByRole('dialog', { name: 'Turn on an authenticator app' })
  await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor()
  const key = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
  const since = Date.now()
  const codeAt = (later: number) =>
    new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: since + later * 30_000 })
  await dialog.getByLabel('Code', { exact: true }).fill(codeAt(0))
  await dialog.getByRole('button', { name: 'Turn On' }).click()
  return codeAt
}

describeSite(
  'second factors',
  (site) => {
    it('of a trader are added in settings, and sign in', async () => {
      const trader = await site.portal.trader()
      const { page, open, expectToast, expectGoodLook, allowStatus } = await site.visit({ as: trader })
      // Forms refused on purpose.
      allowStatus(400, 401, 403)
      await withPasskeys(page)
      await open('/settings')

      // The session is older than 5 minutes, as it were: the dialog asks for the password, and the change goes on.
      await page.context().clearCookies({ name: 'proofdesk-confirmed' })
      await page.getByRole('button', { name: 'Add Passkey' }).click()
      await page.getByLabel('Name', { exact: true }).fill('My phone')
      await page.getByRole('button', { name: 'Continue' }).click()
      const question = page.getByRole('dialog', { name: 'Confirm it is you' })
      await question.getByLabel('Password', { exact: true }).fill('wrong')
      await question.getByRole('button', { name: 'Confirm' }).click()
      await question.getByText('Your password is not correct').waitFor()
      await question.getByLabel('Password', { exact: true }).fill(trader.password)
      await page.keyboard.press('Enter')
      await expectToast('Passkey added', CHANGED)
      await page.getByRole('button', { name: 'Rename My phone' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Old phone')
      await page.keyboard.press('Enter')
      await expectToast('Passkey renamed')
      await page.getByRole('list', { name: 'Passkeys' }).getByText('Old phone').waitFor()

      const codeAt = await turnOnApp(page)
      await expectToast('Authenticator app turned on', CHANGED)
      await page.getByRole('button', { name: 'Make Codes' }).click()
      const codes = page.getByRole('list', { name: 'Recovery codes' })
      // Unlike their texts, the first is waited for.
      const recovery = await codes.getByRole('listitem').first().innerText()
      await expectGoodLook()
      await page.getByRole('button', { name: 'I have kept them' }).click()
      await page.getByText('10 codes left').waitFor()
      await expectGoodLook()

      const signOut = async () => {
        await openNavigation(page)
        await page.getByRole('button', { name: 'Sign out', exact: true }).click()
        await page.waitForURL('**/auth')
        await page.getByRole('button', { name: 'Login', exact: true }).waitFor()
      }
      const enterPassword = async () => {
        await signIn(page, trader)
        await page.getByRole('heading', { level: 1, name: 'Confirm it is you' }).waitFor()
      }
      const home = () => page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor()
      await signOut()
      await expectGoodLook()
      await page.getByRole('button', { name: 'Login with a passkey' }).click()
      await home()

      await signOut()
      await enterPassword()
      await expectGoodLook()
      await page.getByLabel('Code', { exact: true }).fill('000000')
      await page.keyboard.press('Enter')
      await page.getByText('This code is not valid. Codes work once.').waitFor()
      await page.getByLabel('Code', { exact: true }).fill(codeAt(1))
      await page.keyboard.press('Enter')
      await home()

      await signOut()
      await enterPassword()
      await page.getByLabel('Code', { exact: true }).fill(recovery)
      await page.keyboard.press('Enter')
      await home()
      await signOut()
      await enterPassword()
      await page.getByLabel('Code', { exact: true }).fill(recovery)
      await page.keyboard.press('Enter')
      await page.getByText('This code is not valid. Codes work once.').waitFor()
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await home()

      // The history tells it in plain words.
      await open('/history')
      await page.getByLabel('Kind').selectOption('Everything')
      await page.getByText('Recovery code used').first().waitFor()
      await page.getByText('Passkey added').first().waitFor()

      // A sensitive change asks for a factor now, and goes on by itself.
      await page.context().clearCookies({ name: 'proofdesk-confirmed' })
      const factors = await hold(page, '**/api/user/factors')
      await open('/settings')
      await page.getByLabel('Email').fill(`moved.${trader.email}`)
      const save = page.getByRole('button', { name: 'Save Changes' })
      await factors.isAsked
      // A trader with a factor never has to enter the password instead.
      expect(await save.isDisabled()).toBe(true)
      factors.release()
      await save.click()
      await question.waitFor()
      await expectGoodLook()
      await question.getByRole('button', { name: 'Use a passkey' }).click()
      await expectToast('Profile updated')

      // A sensitive change that is declined does not happen.
      await page.context().clearCookies({ name: 'proofdesk-confirmed' })
      await page.getByRole('button', { name: 'Remove Old phone' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
      await question.waitFor()
      await page.keyboard.press('Escape')
      await expectToast('Update failed', 'Please confirm that it is you, then try again')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Remove Old phone' }).waitFor()
    })

    it('keep the key that the phone has when the first codes are wrong', async () => {
      const { page, open, expectToast, allowStatus } = await site.visit({ as: await site.portal.trader() })
      allowStatus(400)
      await open('/settings')
      await page.getByRole('button', { name: 'Turn On' }).click()
      const dialog = page.getByRole('dialog', { name: 'Turn on an authenticator app' })
      const key = await dialog.locator('code').innerText()
      const code = dialog.getByLabel('Code', { exact: true })
      const others = page.waitForResponse((answer) => answer.url().endsWith('/api/user/factors'))
      await code.fill('000000')
      await page.keyboard.press('Enter')
      await dialog.getByText('This code is not valid.').waitFor()
      // What else the page shows is read again after the attempt.
      await others
      expect(await dialog.locator('code').innerText()).toBe(key)
      await code.fill('пк2-9ф')
      await page.keyboard.press('Enter')
      await dialog.getByText('Please change the layout of your keyboard', { exact: false }).waitFor()
      const present = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) }).generate()
      // As Persian keyboards write it.
      await code.fill(present.replaceAll(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'.charAt(Number(digit))))
      await page.keyboard.press('Enter')
      await expectToast('Authenticator app turned on', CHANGED)
    })

    it('sign a trader in with one question, while the next page still loads', async () => {
      const trader = await site.portal.trader()
      const { page, open, expectToast, allowStatus } = await site.visit({ as: trader, width: 390 })
      allowStatus(401, 403)
      await open('/settings')
      const codeAt = await turnOnApp(page)
      await expectToast('Authenticator app turned on', CHANGED)
      await page.context().clearCookies()
      await page.goto('/auth')
      await signIn(page, trader)
      await page.getByLabel('Code', { exact: true }).fill(codeAt(1))
      const questions: string[] = []
      page.on(
        'request',
        (request) => new URL(request.url()).pathname === '/api/login/factor' && questions.push(request.method()),
      )
      let load = () => {}
      const isAnswered = new Promise<void>((resolve) => (load = resolve))
      // Only the code of the next page: that of the form may still be on its way.
      await page.route(/\/assets\/(trader-layout|dashboard-page)-/, async (route) => {
        await isAnswered
        await route.continue()
      })
      const answer = page.waitForResponse('**/api/login/factor')
      await page.keyboard.press('Enter')
      expect((await answer).status()).toBe(200)
      // The page shows the next state of the form before the code of the next page arrives.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      load()
      await page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor()
      expect(questions).toEqual(['POST'])
    })

    it('are required of staff: only the enrolment is open before, and signing in needs one after', async () => {
      const admin = await site.portal.admin()
      const { page, open, expectToast, expectGoodLook, allowStatus } = await site.visit({ as: admin })
      allowStatus(400, 401, 403)
      await withPasskeys(page)
      await page.goto('/admin/dashboard')
      await page.waitForURL('**/admin/security')
      await page.getByText('Your firm requires a second factor.').waitFor()
      await expectGoodLook()
      await page.getByRole('button', { name: 'Add Passkey' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Blue key')
      await page.getByRole('button', { name: 'Continue' }).click()
      await expectToast('Passkey added', CHANGED)
      await page.getByRole('link', { name: 'Go to the dashboard' }).click()
      await page.getByRole('heading', { level: 1, name: /Dashboard/ }).waitFor()
      await open('/admin/security')
      await page.getByRole('list', { name: 'Sessions' }).getByText('This browser').waitFor()
      await expectGoodLook()

      // A confirmation that is cancelled ends a run of verdicts: it is asked for once, and the report names all.
      const trader = await site.portal.trader()
      await page.request.patch(`/api/admin/user/${trader.id}/account`, { data: { payoutEnabled: true } })
      for (const amount of ['150.00', '160.00', '90.00'])
        await trader.post('/api/user/payouts', { amount, paymentMethod: 'crypto' })
      await open(`/admin/payouts?of=${trader.id}`)
      await page.getByLabel('Select all 3 pending on this page').check()
      await page.context().clearCookies({ name: 'proofdesk-admin-confirmed' })
      await page.getByRole('button', { name: 'Reject selected' }).click()
      const run = page.getByRole('dialog', { name: 'Reject several payouts' })
      await run.getByLabel('Admin Notes').fill('Twice the same')
      await page.keyboard.press('Control+Enter')
      const question = page.getByRole('dialog', { name: 'Confirm it is you' })
      await question.waitFor()
      await page.keyboard.press('Escape')
      await run.getByText('0 rejected, 3 failed').waitFor()
      await expect.poll(() => run.getByText('Failed: not sent, because the confirmation was cancelled').count()).toBe(2)
      expect(await question.count()).toBe(0)
      await page.keyboard.press('Escape')

      await openNavigation(page)
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL('**/auth')
      await page.getByRole('button', { name: 'Admin Login' }).click()
      await page.getByLabel('Access Key').fill(site.portal.adminKey)
      await page.getByRole('button', { name: 'Login', exact: true }).click()
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.waitForURL('**/admin/dashboard')
    })
  },
  { environment: { HOST: 'localhost', REQUIRE_STAFF_SECOND_FACTOR: 'true', STEP_UP_ABOVE: '100' } },
)
