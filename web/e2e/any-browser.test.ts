import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { read } from '#test-support/http-calls.ts'
import { until } from '#test-support/until.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { expectNothingCovered, press } from './keyboard.ts'
import { describeSite, signIn } from './kit.ts'

const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

describeSite('any browser', (site) => {
  it('shows all of a dialog in a low window, where its buttons were cut off', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Low Window', ['100.00'])
    const { page, open } = await site.visit({ as: admin })
    for (const [width, height] of [
      [640, 360],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height })
      await open('/admin/payouts?search=Low')
      await page.getByRole('button', { name: 'Actions for Low Window' }).first().click()
      await page.getByRole('menuitem', { name: 'Reject' }).click()
      const dialog = page.getByRole('dialog', { name: 'Reject payout' })
      const reject = dialog.getByRole('button', { name: 'Reject', exact: true })
      for (const part of [
        reject,
        dialog.getByRole('heading', { name: 'Reject payout' }),
        dialog.getByRole('textbox').first(),
      ]) {
        // As a finger or a wheel does: by scrolling what can be scrolled. A script also scrolls what hides the rest.
        await part.scrollIntoViewIfNeeded()
        const isSeen = await part.evaluate((element) => {
          for (let box = element.parentElement; box; box = box.parentElement)
            if (/hidden|clip/.test(getComputedStyle(box).overflowY)) box.scrollTop = 0
          const { left, top, bottom } = element.getBoundingClientRect()
          const at = (y: number) => document.elementFromPoint(left + 8, y)
          return [at(top + 4), at(bottom - 4)].every((hit) => hit !== null && element.contains(hit))
        })
        expect(isSeen, `${width} × ${height}`).toBe(true)
      }
    }
  })

  it('opens a dialog at its title in a low window, and leaves the next row below bar and notification', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Top Row', ['100.00', '101.00', '102.00', '103.00', '104.00'])
    const { page, open } = await site.visit({ as: admin })
    await page.setViewportSize({ width: 640, height: 360 })
    await open('/admin/payouts?search=Top&status=pending')
    await page.locator('[data-row]').first().focus()
    for (let left = 4; left > 1; left--) {
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Approve payout' })
      const title = await dialog.getByRole('heading', { name: 'Approve payout' }).boundingBox()
      expect(title?.y).toBeGreaterThan(0)
      await dialog.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor()
      await page.keyboard.press('Control+Enter')
      await dialog.waitFor({ state: 'detached' })
      await until(async () => (await page.locator('[data-row]').count()) === left, 'the decided payout to leave')
      await page.locator('[data-row]:focus').waitFor()
      await expectNothingCovered(page)
    }
  })

  it('grows with the size of text that is set, and has fields of 16 px on a phone', async () => {
    const { page, open } = await site.visit()
    await page.setViewportSize({ width: 390, height: 844 })
    await open('/auth')
    const size = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    const chosen = await size('html')
    expect(await size('input')).toBe(chosen)
    expect([await size('body'), await size('label')]).toEqual([(chosen * 14) / 16, (chosen * 13) / 16])
    await page.evaluate(() => (document.documentElement.style.fontSize = '40px'))
    expect([await size('body'), await size('label'), await size('input')]).toEqual([35, 32.5, 40])
  })

  it('leaves the keys of an input method to it', async () => {
    const admin = await site.portal.admin()
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/users')
    await page.getByRole('button', { name: 'Add User' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add User' })
    const field = dialog.getByLabel('Full Name')
    await field.focus()
    const escape = (isComposing: boolean, keyCode: number) =>
      field.evaluate((input, init) => input.dispatchEvent(new KeyboardEvent('keydown', init)), {
        key: 'Escape',
        isComposing,
        keyCode,
        bubbles: true,
        cancelable: true,
      })
    await escape(true, 27)
    await escape(false, 229)
    expect(await dialog.isVisible()).toBe(true)
    await escape(false, 27)
    await dialog.waitFor({ state: 'detached' })
  })

  it('takes letter keys by their place where a layout has no Latin letters, and shows them', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Cyrillic Keys', ['100.00', '200.00'])
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/payouts?search=Cyrillic')
    await page.locator(`[data-row^="${trader.id}"]`).first().waitFor()
    const pressKey = (key: string, code: string, ctrlKey = false) =>
      page.evaluate((init) => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init)), {
        key,
        code,
        ctrlKey,
        bubbles: true,
        cancelable: true,
      })
    await pressKey('о', 'KeyJ')
    expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-row'))).toBe(true)
    // Text of 200 % leaves the keys no room beside the list.
    const areKeysShown = await page.evaluate(() => matchMedia('(width >= 48rem)').matches)
    await page.getByText('J (О)').waitFor({ state: areKeysShown ? 'visible' : 'attached' })
    // On a Latin layout a letter is where its own key is: J of Dvorak is on the C key.
    await pressKey('k', 'KeyV')
    await pressKey('л', 'KeyK', true)
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
  })

  it('tells meters, the selected tab and the page apart in contrast themes', async () => {
    const [trader, admin] = [await site.portal.trader(), await site.portal.admin()]
    const { page, open, context } = await site.visit({ as: trader })
    await page.emulateMedia({ forcedColors: 'active' })
    await open('/')
    const style = (selector: string, property: 'backgroundColor' | 'borderBottomColor' | 'outlineStyle') =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element)[name], property)
    expect(await style('[role=tab][aria-selected=true]', 'borderBottomColor')).not.toBe(
      await style('[role=tab][aria-selected=false]', 'borderBottomColor'),
    )
    expect(await style('nav [aria-current=page]', 'outlineStyle')).toBe('solid')
    // A button is more than its word.
    await open('/settings')
    const save = page.locator('form button[type=submit]').first()
    await save.waitFor()
    expect(await save.evaluate((button) => getComputedStyle(button).borderTopWidth)).toBe('1px')
    const url = site.portal.url
    await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url })))
    await open('/admin/dashboard')
    expect(await style(':is([role=meter], [role=progressbar]) > div', 'backgroundColor')).not.toBe(
      await style(':is([role=meter], [role=progressbar])', 'backgroundColor'),
    )
  })

  it('keeps the focus on the page when the row that had it is removed', async () => {
    const trader = await site.portal.trader()
    const other = await site.visit()
    other.allowStatus(401)
    await other.open('/auth')
    await signIn(other.page, trader)
    await other.page.waitForURL('/')
    const { page, open } = await site.visit({ as: trader })
    await open('/settings')
    const row = page.getByRole('list', { name: 'Sessions' }).getByRole('button', { name: /Sign Out/ })
    await row.first().focus()
    await page.keyboard.press('Enter')
    await row.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('H1')
  })

  it('keeps the focus on the page when the button that had it goes with its batch', async () => {
    const admin = await site.portal.admin()
    const payee = await traderWithRequests(site.portal, admin, 'Batch Leaver', ['100.00'])
    const payouts = [`${payee.id}-a1-p1`]
    await admin.patch(`/api/admin/payouts/${payouts[0]}`, { status: 'approved' })
    const { id } = read(Batch, await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts }))
    const { page, open } = await site.visit({ as: admin })
    await open(`/admin/payouts/batches/${id}`)
    await press(page, page.getByRole('button', { name: 'Cancel Batch' }))
    await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Batch' }))
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('H1')
  })

  it('says at the first sign-in that cookies are blocked', async () => {
    const trader = await site.portal.trader()
    const { page, open, allowStatus } = await site.visit()
    allowStatus(401)
    // The browser drops the cookie of the answer.
    await page.route('**/api/login', async (route) => {
      const response = await route.fetch()
      await page.context().clearCookies()
      await route.fulfill({ status: response.status(), contentType: 'application/json', body: await response.text() })
    })
    const allowCookies = page.locator('main').getByText(/does not keep the sign-in. Please allow cookies/)
    await open('/auth')
    await signIn(page, trader)
    await allowCookies.waitFor()
    expect(new URL(page.url()).pathname).toBe('/auth')
    // The second step, too, which was said to have taken too long.
    const setup = z.object({ key: z.string(), setup: z.string() })
    const { key, setup: token } = read(setup, await trader.get('/api/user/factors/authenticator'))
    const code = new TOTP({ secret: Secret.fromBase32(key) }).generate()
    expect((await trader.post('/api/user/factors/authenticator', { setup: token, code })).status).toBe(200)
    await page.reload()
    await signIn(page, trader)
    await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor()
    await allowCookies.waitFor()
  })

  it('takes an access key with the blanks that came along, and what was filled in without a word', async () => {
    const trader = await site.portal.trader()
    const fill = (page: Page, label: string, value: string) =>
      page.getByLabel(label, { exact: true }).evaluate((field, to) => {
        // A password manager writes past React.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, to)
      }, value)
    const own = await site.visit()
    await own.open('/auth')
    await fill(own.page, 'Email', trader.email)
    await fill(own.page, 'Password', trader.password)
    await own.page.getByRole('button', { name: 'Login', exact: true }).click()
    await own.page.waitForURL('/')
    const { page, open } = await site.visit()
    await open('/auth')
    await page.getByRole('button', { name: 'Admin Login' }).click()
    await fill(page, 'Access Key', `\u00a0 ${site.portal.adminKey}\t`)
    const login = page.getByRole('button', { name: 'Login', exact: true })
    expect(await login.isDisabled()).toBe(true)
    // The button is pressed by somebody who comes to it.
    await login.hover()
    await login.click()
    await page.waitForURL('/admin/dashboard')
  })

  it('counts what waits by the server’s clock, and prints notes in full', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Clock Behind', ['100.00'])
    const note = 'A long note that says at length why this request can not be paid out as it is'
    await admin.patch(`/api/admin/payouts/${trader.id}-a1-p1`, { status: 'rejected', adminNotes: note })
    const [owner] = await createUsers(admin, ['Clock Owner'])
    expect(owner).toBeDefined()
    await traderWithRequests(site.portal, admin, 'Clock Ahead', ['50.00'])
    const { page, open } = await site.visit({ as: admin })
    await page.clock.setSystemTime(Date.now() + 27 * 3_600_000)
    await open('/admin/payouts?search=Clock+Ahead')
    await page.getByText('waits less than an hour').waitFor()
    const own = await site.visit({ as: trader })
    await own.open('/payouts')
    await own.page.emulateMedia({ media: 'print' })
    await page.clock.setSystemTime(Date.now())
    await open('/admin?tab=payouts&search=Clock+Behind')
    await page.emulateMedia({ media: 'print' })
    for (const printed of [own.page, page]) {
      const isCut = await printed
        .getByText(note)
        .first()
        .evaluate(
          (element) => element.scrollWidth > element.clientWidth || getComputedStyle(element).whiteSpace === 'nowrap',
        )
      expect(isCut, printed.url()).toBe(false)
    }
  })

  it('says first that it needs JavaScript, and waits for nothing', async () => {
    const { page } = await site.visit()
    const context = await page.context().browser()?.newContext({ javaScriptEnabled: false, baseURL: site.portal.url })
    const plain = await context?.newPage()
    await plain?.goto('/auth')
    expect(await plain?.getByText('Proofdesk needs JavaScript').isVisible()).toBe(true)
    expect(await plain?.locator('.spinner').isVisible()).toBe(false)
    await context?.close()
  })
})
